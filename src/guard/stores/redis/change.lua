-- Saves, releases or renews what a request has claimed.
-- KEYS[1] the record, KEYS[2] the outbox. ARGV: save|release|forget|reach|renew, owner, owner|open,
-- then what is written: of a save status, headers, body, and the notes that go out with it.
local key = KEYS[1]
local owner = redis.call('HGET', key, 'owner')
if redis.call('EXISTS', key) == 0 then return 0 end
if ARGV[3] == 'owner' and owner ~= ARGV[2] then return 0 end
if ARGV[1] == 'save' then
  redis.call('HSET', key, 'response_status', ARGV[4], 'response_headers', ARGV[5],
    'response_body', ARGV[6])
  for n = 7, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[n]) end
elseif ARGV[1] == 'forget' then
  redis.call('DEL', key)
  return 1
elseif ARGV[1] == 'reach' then
  redis.call('HSET', key, 'recovery_point', ARGV[4])
  return 1
elseif ARGV[1] == 'renew' then
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  redis.call('HSET', key, 'lock_until', now + ARGV[4])
  return 1
end
redis.call('HDEL', key, 'locked_at', 'lock_until', 'owner')
return 1
