-- Writes one attempt, numbered and told by what the log knows of its key.
-- KEYS: the stream, and what is known of the key. ARGV: entries kept, retention in ms, the key's hash
-- (empty where there is none), outcome, status, then fields and values.

if redis.replicate_commands then redis.replicate_commands() end
local stream, seen = KEYS[1], KEYS[2]
local retention, key, outcome, status = tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local plain = { executed = true, reexec_error = true, reexec_expired = true }
local entry = { 'XADD', stream, 'MAXLEN', '~', ARGV[1], '*' }
for i = 6, #ARGV do entry[#entry + 1] = ARGV[i] end
local function add(name, value)
  entry[#entry + 1] = name
  entry[#entry + 1] = value
end
if key ~= '' then
  local number = redis.call('HINCRBY', seen, 'n', 1)
  redis.call('HSETNX', seen, 'first', now)
  local known = redis.call('HMGET', seen, 'first', 'last', 'status')
  if plain[outcome] and known[2] then
    if tonumber(known[3]) >= 500 then
      outcome = 'reexec_error'
    elseif now - tonumber(known[2]) >= retention then
      outcome = 'reexec_expired'
    end
  end
  if plain[outcome] or outcome == 'taken_over' or outcome == 'stale_owner' then
    redis.call('HSET', seen, 'last', now, 'status', status)
  end
  redis.call('PEXPIRE', seen, math.max(retention * 4, 60000))
  add('k', key)
  add('n', number)
  add('f0', now - tonumber(known[1]))
end
add('o', outcome)
add('h', status)
redis.call(unpack(entry))
return outcome
