-- Claims a key: makes its record, or takes one that is free or stale, or tells what stands there.
-- KEYS[1] the record. ARGV: fingerprint, path, owner, lease ms, retention ms, takes over, extends.
-- A full server refuses writes, so everything is read before anything is written.
local key, fingerprint = KEYS[1], ARGV[1]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local was = redis.call('HMGET', key, 'payload_hash', 'response_status', 'response_headers',
  'response_body', 'locked_at', 'lock_until', 'owner', 'recovery_point')
local after = 'nothing'
if was[1] then
  local same = was[1] == fingerprint
  if was[2] then
    if same and ARGV[7] == '1' then redis.call('PEXPIRE', key, ARGV[5]) end
    return { 'finished', was[1], was[2], was[3] or '', was[4] or '' }
  end
  -- Asked once more after a lost connection: it is ours already.
  if was[7] == ARGV[3] then return { 'nothing', was[8] or '', '', '', '' } end
  local left = was[6] and math.max(tonumber(was[6]) - now, 0) or 0
  if same and not was[5] then
    after = 'error'
  elseif same and ARGV[6] == '1' and left == 0 then
    after = 'stale'
  else
    return { 'in_progress', was[1], tostring(left), '', '' }
  end
end
redis.call('HSET', key, 'created_at', now, 'expires_at', now + ARGV[5], 'request_path', ARGV[2],
  'payload_hash', fingerprint, 'locked_at', now, 'lock_until', now + ARGV[4], 'owner', ARGV[3])
redis.call('PEXPIRE', key, ARGV[5])
return { after, was[8] or '', '', '', '' }
