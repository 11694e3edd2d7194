--- Owns the grammar of `:LazydapBreak`; pure text, knows neither buffers nor breakpoints.
---
---     [FILE:LINE | FUNC] [if EXPR] [hit [<|<=|==|>=|>|%]N] [log TEXT]

local M = {}

local KEYWORDS = { ['if'] = true, hit = true, log = true }
local PART = { ['if'] = 'condition', hit = 'hit_condition', log = 'log_message' }
local CLOSING = { [')'] = '(', [']'] = '[', ['}'] = '{' }
local QUOTES = { ['"'] = true, ["'"] = true, ['`'] = true }
local OPERATORS = { '<=', '==', '>=', '<', '>', '%' }

---@class lazydap.BreakPlace
---@field file? string FILE of FILE:LINE; empty for a bare `:LINE`, which means this file
---@field line? integer
---@field func? string FUNC

---@class lazydap.BreakRequest
---@field place? lazydap.BreakPlace
---@field parts table<'condition'|'hit_condition'|'log_message', string> those that were written out
---@field ask ('condition'|'hit_condition'|'log_message')[]              those without text, in order

---@class lazydap.Word
---@field first integer
---@field last integer
---@field text string

--- The blank-separated word that begins at or after `from`.
---@param line string
---@param from integer
---@return lazydap.Word?
local function word_at(line, from)
  local first, last = line:find('%S+', from)
  return first and { first = first, last = last, text = line:sub(first, last) } or nil
end

--- Which bytes stand inside quotes or brackets that are closed again.
---@param line string
---@param from integer
---@return table<integer, true>
local function protected(line, from)
  local inside, open = {}, {} ---@type table<integer, true>, {at: integer, bracket: string}[]
  local function cover(first, last)
    for at = first, last do
      inside[at] = true
    end
  end
  local at = from
  while at <= #line do
    local char = line:sub(at, at)
    if QUOTES[char] then
      local close = at
      repeat
        close = line:find(char, close + 1, true)
      until not close or line:sub(close - 1, close - 1) ~= '\\'
      if close then
        cover(at, close)
        at = close
      end
    elseif char == '(' or char == '[' or char == '{' then
      open[#open + 1] = { at = at, bracket = char }
    elseif CLOSING[char] then
      for index = #open, 1, -1 do
        if open[index].bracket == CLOSING[char] then
          cover(open[index].at, at)
          -- What was opened inside and not closed is a plain character.
          for extra = #open, index, -1 do
            open[extra] = nil
          end
          break
        end
      end
    end
    at = at + 1
  end
  return inside
end

--- Read a hit count: an operator that may be missing, then a number.
---@param line string
---@param from integer
---@return string? count as it is stored, `>=3`
---@return integer? after the byte behind it
local function count_at(line, from)
  local at = line:find('%S', from)
  if not at then
    return nil
  end
  local operator = ''
  for _, candidate in ipairs(OPERATORS) do
    if vim.startswith(line:sub(at), candidate) then
      operator = candidate
      break
    end
  end
  local digits, after = line:match('^%s*(%d+)()', at + #operator)
  if not digits or line:sub(after, after):find('%S') then
    return nil
  end
  return operator .. digits, after
end

--- Whether EXPR ends before this `hit`: it is the last word, or a count and then the end or `log` follow.
---@param line string
---@param after integer the byte behind `hit`
---@return boolean
local function ends_expression(line, after)
  if not word_at(line, after) then
    return true
  end
  local _, behind = count_at(line, after)
  local next_word = behind and word_at(line, behind)
  return behind ~= nil and (next_word == nil or next_word.text == 'log')
end

--- The last byte of the EXPR that begins at `from`, and where the next keyword begins.
---@param line string
---@param from integer
---@return integer last
---@return integer next_at past the end when nothing follows
local function expression_end(line, from)
  local inside = protected(line, from)
  local word = word_at(line, from)
  while word do
    local is_end = word.text == 'log' or word.text == 'hit' and ends_expression(line, word.last + 1)
    if is_end and not inside[word.first] then
      return word.first - 1, word.first
    end
    word = word_at(line, word.last + 1)
  end
  return #line, #line + 1
end

--- Read the place at the beginning of the line.
---@param line string
---@return lazydap.BreakPlace? place
---@return integer after
---@return string? fault
local function place_at(line)
  local first = line:find('%S')
  local after = first
  while after <= #line and not line:sub(after, after):find('%s') do
    after = after + (line:sub(after, after + 1):find('^\\%s') and 2 or 1)
  end
  local word = line:sub(first, after - 1)
  local file, digits = word:match('^(.*):(%d+)$')
  if not file then
    return { func = word }, after
  end
  if tonumber(digits) < 1 then
    return nil, after, ('lines count from 1: %s'):format(word)
  end
  return { file = (file:gsub('\\(%s)', '%1')), line = tonumber(digits) }, after
end

---@param line string
---@param request lazydap.BreakRequest
---@param keyword lazydap.Word
---@return integer? after where the next keyword begins or may begin
---@return string? fault
local function read_part(line, request, keyword)
  local part = PART[keyword.text]
  local word = word_at(line, keyword.last + 1)
  local is_bare = word == nil or keyword.text ~= 'log' and KEYWORDS[word.text]
  if is_bare then
    table.insert(request.ask, part)
    return word and word.first or #line + 1
  end
  ---@cast word lazydap.Word
  if keyword.text == 'if' then
    local last, next_at = expression_end(line, word.first)
    request.parts[part] = vim.trim(line:sub(word.first, last))
    return next_at
  end
  if keyword.text == 'log' then
    request.parts[part] = vim.trim(line:sub(word.first))
    return #line + 1
  end
  local count, after = count_at(line, word.first)
  if not count then
    return nil, ('hit wants a count such as 3, >=3 or %%2, not %s'):format(line:sub(word.first))
  end
  request.parts[part] = count
  return after
end

--- Read the argument of `:LazydapBreak`.
---@param line string
---@return lazydap.BreakRequest? request nil when it cannot be read
---@return string? fault one line
function M.parse(line)
  vim.validate({ line = { line, 'string' } })
  local request = { parts = {}, ask = {} } ---@type lazydap.BreakRequest
  local word = word_at(line, 1)
  local after = 1
  if word and not KEYWORDS[word.text] then
    local fault
    request.place, after, fault = place_at(line)
    if fault then
      return nil, fault
    end
    word = word_at(line, after)
  end
  local order, reached = { ['if'] = 1, hit = 2, log = 3 }, 0
  while word do
    local rank = order[word.text]
    if not rank then
      return nil, ('expected if, hit or log, not %s'):format(word.text)
    end
    if rank <= reached then
      return nil, ('if, hit and log go in this order, each once: %s'):format(vim.trim(line))
    end
    reached = rank
    local next_at, fault = read_part(line, request, word)
    if not next_at then
      return nil, fault
    end
    word = word_at(line, next_at)
  end
  return request
end

---@param breakpoint table
---@param condition? string
---@return string
local function compose(breakpoint, condition)
  local place = breakpoint.func or ('%s:%d'):format(breakpoint.path:gsub('(%s)', '\\%1'), breakpoint.line)
  local words = { place }
  local parts = { { 'if', condition }, { 'hit', breakpoint.hit_condition }, { 'log', breakpoint.log_message } }
  for _, part in ipairs(parts) do
    if part[2] and part[2] ~= '' then
      vim.list_extend(words, part)
    end
  end
  return table.concat(words, ' ')
end

--- The command that would put the breakpoint back as it is. A condition that would be read as a keyword, or end early
--- at one, is put into brackets.
---@param breakpoint table path and line, or func; condition, hit_condition, log_message
---@return string
function M.format(breakpoint)
  local condition = breakpoint.condition
  local plain = compose(breakpoint, condition)
  if condition and condition ~= '' then
    local read = M.parse(plain)
    if not read or read.parts.condition ~= condition or read.parts.log_message ~= breakpoint.log_message then
      return 'LazydapBreak ' .. compose(breakpoint, ('(%s)'):format(condition))
    end
  end
  return 'LazydapBreak ' .. plain
end

return M
