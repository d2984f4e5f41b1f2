-- Saves, releases or renews what a request has claimed.
-- KEYS[1] the record. ARGV: save|release|renew, owner, owner|open, then what is written.
local key = KEYS[1]
local owner = redis.call('HGET', key, 'owner')
if redis.call('EXISTS', key) == 0 then return 0 end
if ARGV[3] == 'owner' and owner ~= ARGV[2] then return 0 end
if ARGV[1] == 'save' then
  redis.call('HSET', key, 'response_status', ARGV[4], 'response_headers', ARGV[5],
    'response_body', ARGV[6])
elseif ARGV[1] == 'renew' then
  local t = redis.call('TIME')
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  redis.call('HSET', key, 'lock_until', now + ARGV[4])
  return 1
end
redis.call('HDEL', key, 'locked_at', 'lock_until', 'owner')
return 1
