-- Compares each record with what was seen of it, and changes those that are still so.
--
-- One call is one atomic step, and each record in it stands for itself: what is wrong with one is
-- that one's answer. KEYS: the key of every piece, in order. ARGV: see encode.rs.
-- Answers, one a record: d done, c changed meanwhile, g gone, p the expiry to be set has passed,
-- e... refused and nothing done, h... refused in the middle and not put right again.

local modern = ARGV[1] == 'x'
local at, piece_at = 1, 0

local function take()
  at = at + 1
  return ARGV[at]
end

local clock
local function now()
  if clock == nil then
    if not modern and redis.replicate_commands then redis.replicate_commands() end
    local t = redis.pcall('TIME')
    clock = not t.err and t[1] * 1000 + math.floor(t[2] / 1000)
  end
  return clock
end

-- A state of a piece, as it is encoded.
local function state()
  local kind = take()
  if kind == '-' or kind == '=' then return { kind = kind } end
  if kind == 't' then return { kind = 't', value = take() } end
  local s = { kind = kind, expiry = take() }
  if kind == 's' then
    s.value = take()
    return s
  end
  s.count = tonumber(take())
  s.first = at
  at = at + s.count * (kind == 'm' and 1 or 2)
  return s
end

-- What an error in the place of an answer says of a comparison.
local function failed(answer)
  if string.find(answer.err, 'WRONGTYPE', 1, true) then return 'other' end
  return 'error', answer.err
end

-- Whether a hash, set or sorted set holds what was seen, and nothing more.
local function holds_all(key, s)
  local len = redis.pcall(s.kind == 'h' and 'HLEN' or s.kind == 'm' and 'SCARD' or 'ZCARD', key)
  if type(len) == 'table' then return failed(len) end
  if len ~= s.count then return 'other' end
  if s.kind == 'h' then
    for from = 0, s.count - 1, 500 do
      local asked = { 'HMGET', key }
      for i = from, math.min(from + 499, s.count - 1) do
        asked[#asked + 1] = ARGV[s.first + 1 + i * 2]
      end
      local got = redis.pcall(unpack(asked))
      if got.err then return failed(got) end
      for i = 1, #asked - 2 do
        if got[i] ~= ARGV[s.first + (from + i) * 2] then return 'other' end
      end
    end
    return 'same'
  end
  for i = 0, s.count - 1 do
    local got, wanted
    if s.kind == 'm' then
      got, wanted = redis.pcall('SISMEMBER', key, ARGV[s.first + 1 + i]), 1
    else
      got = redis.pcall('ZSCORE', key, ARGV[s.first + 1 + i * 2])
      wanted = ARGV[s.first + 2 + i * 2]
    end
    if type(got) == 'table' then return failed(got) end
    if got ~= wanted then return 'other' end
  end
  return 'same'
end

-- The clock before the rest: what comes between makes the sum earlier, never later, and a machine that is
-- busy may stand still there. So the latest of some is the nearest.
local function reckoned(key, wanted)
  local latest
  for _ = 1, 4 do
    clock = nil
    local time = now()
    local left = redis.pcall('PTTL', key)
    if type(left) ~= 'number' or left < 0 then return left end
    if not time then return { err = 'NOPERM the clock (TIME) may not be read' } end
    latest = math.max(latest or 0, time + left)
    if wanted and math.abs(latest - wanted) <= 5 then break end
  end
  return latest
end

local function compare_whole(key, s)
  local expiry
  if modern then
    expiry = redis.pcall('PEXPIRETIME', key)
  else
    expiry = reckoned(key, tonumber(s.expiry))
  end
  if type(expiry) == 'table' then return 'error', expiry.err end
  if expiry == -2 then return s.kind == '-' and 'same' or 'absent' end
  if s.kind == '-' then return 'other' end
  local wanted = s.expiry == '' and -1 or tonumber(s.expiry)
  if expiry ~= wanted then
    if modern or wanted == -1 or expiry == -1 or math.abs(expiry - wanted) > 5 then
      return 'other'
    end
  end
  if s.kind ~= 's' then return holds_all(key, s) end
  local got = redis.pcall('GET', key)
  if type(got) == 'table' then return failed(got) end
  return got == s.value and 'same' or 'other'
end

local function compare_part(key, part, name, s)
  local got
  if part == 'f' then
    got = redis.pcall('HMGET', key, name)
    if got.err then return failed(got) end
    got = got[1]
  elseif part == 'm' then
    got = redis.pcall('SISMEMBER', key, name)
    if got == 0 then got = false elseif got == 1 then got = '' end
  else
    got = redis.pcall('ZSCORE', key, name)
  end
  if type(got) == 'table' then return failed(got) end
  if not got then return s.kind == '-' and 'same' or 'absent' end
  return s.kind == 't' and got == s.value and 'same' or 'other'
end

-- Adds a command with many arguments, in bounded portions.
local function portions(list, command, key, items)
  for from = 1, #items, 1000 do
    local call = { command, key }
    for i = from, math.min(from + 999, #items) do call[#call + 1] = items[i] end
    list[#list + 1] = call
  end
end

-- A collection as a table from member or field to score or value.
local function as_map(s)
  local map = {}
  local wide = s.kind ~= 'm'
  for i = 0, s.count - 1 do
    if wide then
      map[ARGV[s.first + 1 + i * 2]] = ARGV[s.first + 2 + i * 2]
    else
      map[ARGV[s.first + 1 + i]] = true
    end
  end
  return map
end

local ADD = { h = 'HSET', m = 'SADD', z = 'ZADD' }
local TAKE = { h = 'HDEL', m = 'SREM', z = 'ZREM' }

-- The commands that make `to` of `from`: those that may want memory first, since only the first
-- change of a script is refused for want of it.
local function commands_whole(key, from, to, first, last)
  if to.kind == '-' then
    if from.kind ~= '-' then last[#last + 1] = { 'UNLINK', key } end
    return
  end
  if to.kind == 's' then
    if to.expiry == '' then
      first[#first + 1] = { 'SET', key, to.value }
    elseif modern then
      first[#first + 1] = { 'SET', key, to.value, 'PXAT', to.expiry }
    else
      first[#first + 1] = { 'SET', key, to.value }
      first[#first + 1] = { 'PEXPIREAT', key, to.expiry }
    end
    return
  end
  local had, has, expiry = {}, as_map(to), ''
  if from.kind == to.kind then
    had, expiry = as_map(from), from.expiry
  elseif from.kind ~= '-' then
    first[#first + 1] = { 'UNLINK', key }
  end
  local added, taken = {}, {}
  for name, value in pairs(has) do
    if had[name] ~= value then
      if to.kind == 'z' then added[#added + 1] = value end
      added[#added + 1] = name
      if to.kind == 'h' then added[#added + 1] = value end
    end
  end
  for name in pairs(had) do
    if has[name] == nil then taken[#taken + 1] = name end
  end
  portions(first, ADD[to.kind], key, added)
  if to.expiry ~= expiry then
    first[#first + 1] = to.expiry == '' and { 'PERSIST', key } or { 'PEXPIREAT', key, to.expiry }
  end
  portions(last, TAKE[to.kind], key, taken)
end

local function commands_part(p, from, to, first, last)
  if to.kind == '-' then
    local command = p.part == 'f' and 'HDEL' or p.part == 'm' and 'SREM' or 'ZREM'
    if from.kind ~= '-' then last[#last + 1] = { command, p.key, p.name } end
  elseif p.part == 'f' then
    first[#first + 1] = { 'HSET', p.key, p.name, to.value }
  elseif p.part == 'm' then
    first[#first + 1] = { 'SADD', p.key, p.name }
  else
    first[#first + 1] = { 'ZADD', p.key, to.value, p.name }
  end
end

local function commands(p, from, to, first, last)
  if p.part == 'w' then
    commands_whole(p.key, from, to, first, last)
  else
    commands_part(p, from, to, first, last)
  end
end

-- Servers before 4.0, and some logins, have DEL only.
local function run(call)
  local answer = redis.pcall(unpack(call))
  if type(answer) ~= 'table' or not answer.err then return nil end
  if call[1] == 'UNLINK' then
    local second = redis.pcall('DEL', call[2])
    if type(second) ~= 'table' then return nil end
  end
  return answer.err
end

local function allowed(call)
  if redis.acl_check_cmd(unpack(call)) then return true end
  return call[1] == 'UNLINK' and redis.acl_check_cmd('DEL', call[2])
end

local NOTHING = { kind = '-' }

-- Puts back what was seen of every piece, after an error in the middle.
local function put_back(pieces)
  local whole = true
  for _, p in ipairs(pieces) do
    if p.to.kind ~= '=' then
      local first, last = {}, {}
      commands(p, p.to, NOTHING, last, last)
      commands(p, NOTHING, p.seen, first, first)
      for _, list in ipairs({ last, first }) do
        for _, call in ipairs(list) do
          if run(call) then whole = false end
        end
      end
    end
  end
  return whole
end

local function change(pieces)
  local first, last = {}, {}
  for _, p in ipairs(pieces) do
    if p.to.kind ~= '=' then
      if p.to.expiry and p.to.expiry ~= '' and now() and tonumber(p.to.expiry) <= now() then
        return 'p'
      end
      commands(p, p.seen, p.to, first, last)
    end
  end
  for _, call in ipairs(last) do first[#first + 1] = call end
  -- A command that is not allowed is found before the first one has changed anything.
  if #first > 1 and redis.acl_check_cmd then
    for _, call in ipairs(first) do
      if not allowed(call) then
        return 'eNOPERM no permissions to run \'' .. string.lower(call[1]) .. '\' on this key'
      end
    end
  end
  for done, call in ipairs(first) do
    local err = run(call)
    if err then
      if done == 1 or put_back(pieces) then return 'e' .. err end
      return 'h' .. err
    end
  end
  return 'd'
end

local function record()
  local pieces = {}
  for i = 1, tonumber(take()) do
    piece_at = piece_at + 1
    local p = { key = KEYS[piece_at], part = take() }
    if p.part ~= 'w' then p.name = take() end
    p.seen = state()
    p.to = state()
    pieces[i] = p
  end
  local same, other, stays, leaves = true, false, false, false
  for _, p in ipairs(pieces) do
    local found, why
    if p.part == 'w' then
      found, why = compare_whole(p.key, p.seen)
    else
      found, why = compare_part(p.key, p.part, p.name, p.seen)
    end
    if found == 'error' then return 'e' .. why end
    if found ~= 'same' then same = false end
    if found == 'other' then other = true end
    if p.seen.kind ~= '-' and p.to.kind ~= '=' then
      leaves = true
      if found ~= 'absent' then stays = true end
    end
  end
  if same then return change(pieces) end
  if leaves and not stays and not other then return 'g' end
  return 'c'
end

-- The values of all keys: at once where the login may, since a call costs more than what it reads. A
-- key of another type has no value then, which differs from what was seen.
local function values(keys)
  if redis.acl_check_cmd and redis.acl_check_cmd('MGET', keys[1]) then
    local all = redis.pcall('MGET', unpack(keys))
    if not all.err then return all end
  end
  local all = {}
  for i = 1, #keys do all[i] = redis.pcall('GET', keys[i]) end
  return all
end

-- The usual release, strings compared and removed, in a third of the time: ARGV has an expiry and a
-- value a key, and the answers are one text, a letter a key, unless an error has to be told.
local function plain()
  local keys, args, call = KEYS, ARGV, redis.pcall
  local answers, same, told = {}, {}, true
  local seen = values(keys)
  for i = 1, #keys do
    local answer, got = 'c', nil
    local expiry = call('PEXPIRETIME', keys[i])
    if expiry == tonumber(args[i * 2]) then
      got = seen[i]
      if got == args[i * 2 + 1] then
        answer = 'd'
        same[#same + 1] = keys[i]
      end
    elseif expiry == -2 then
      answer = 'g'
    else
      got = expiry
    end
    if type(got) == 'table' then
      local kind, why = failed(got)
      if kind == 'error' then answer, told = 'e' .. why, false end
    end
    answers[i] = answer
  end
  local removed = #same == 0 and 0 or call('UNLINK', unpack(same))
  if removed ~= #same then
    -- It may be forbidden, for one of them only too, or one was named twice: each has its own word.
    local was, forbidden = {}, type(removed) == 'table'
    for i = 1, #keys do
      if answers[i] == 'd' then
        local err = forbidden and not was[keys[i]] and run({ 'UNLINK', keys[i] })
        if err then
          answers[i], told = 'e' .. err, false
        elseif was[keys[i]] then
          answers[i] = 'g'
        end
        was[keys[i]] = true
      end
    end
  end
  return told and table.concat(answers) or answers
end

if ARGV[1] == 'p' then return plain() end

local answers = {}
for i = 1, tonumber(take() or '0') do answers[i] = record() end
return answers
