--- Owns which line of a function a variable's value is shown on; pure text, knows no buffer.

local M = {}

local LONGEST_LINE = 1000 -- bytes; longer lines are generated code, not worth a pass on every stop
local WORD = '[%a_\128-\255][%w_\128-\255]*'

--- A line without comments and without the text of its strings.
---@param line string
---@param leaders string[] what begins a comment; it runs to the end of the line, or to `*/` if it began with `/*`
---@return string
function M.code_of(line, leaders)
  local pieces, from = {}, 1
  while true do
    local stop, mark ---@type integer?, string?
    stop = line:find('["\'`]', from)
    mark = stop and line:sub(stop, stop)
    for _, leader in ipairs(leaders) do
      local at = line:find(leader, from, true)
      if at and (not stop or at < stop) then
        stop, mark = at, leader
      end
    end
    if not stop or not mark then
      break
    end
    pieces[#pieces + 1] = line:sub(from, stop - 1) .. ' '
    if vim.tbl_contains(leaders, mark) then
      local _, close = line:find('*/', stop + 2, true)
      if mark ~= '/*' or not close then
        return table.concat(pieces)
      end
      from = close + 1
    else
      local close = stop
      repeat
        close = line:find(mark, close + 1, true)
      until not close or line:sub(close - 1, close - 1) ~= '\\'
      -- A quote that is never closed is an apostrophe or a lifetime.
      from = (close or stop) + 1
    end
  end
  pieces[#pieces + 1] = line:sub(from)
  return table.concat(pieces)
end

---@param code string
---@param at integer where a word begins
---@return boolean
local function is_member(code, at)
  local before = code:sub(math.max(at - 2, 1), at - 1)
  if before == '..' then
    return false
  end
  return before:sub(-1) == '.' or before == '->' or before == '::'
end

--- For each name the last of the lines that mentions it.
---@param lines string[]
---@param names string[]
---@param leaders string[]
---@return table<string, integer> index of the line by name; names that no line mentions are left out
function M.assign(lines, names, leaders)
  local open, left = {}, 0 ---@type table<string, true>
  for _, name in ipairs(names) do
    if not open[name] and name:find('^' .. WORD .. '$') then
      open[name] = true
      left = left + 1
    end
  end
  local found = {} ---@type table<string, integer>
  for index = #lines, 1, -1 do
    if left == 0 then
      break
    end
    local line = lines[index]
    if #line <= LONGEST_LINE then
      local code = M.code_of(line, leaders)
      for at, word in code:gmatch('()(' .. WORD .. ')') do
        if open[word] and not code:sub(at - 1, at - 1):find('%d') and not is_member(code, at) then
          open[word] = nil
          left = left - 1
          found[word] = index
        end
      end
    end
  end
  return found
end

---@param line string
---@return integer? indent nil for a line that says nothing about nesting
local function indent_of(line)
  local blank = line:match('^%s*')
  local rest = line:sub(#blank + 1)
  -- Preprocessor lines, comments and labels stand at the margin without ending anything.
  if rest == '' or rest:sub(1, 1) == '#' or rest:sub(1, 2) == '//' or rest:match('^[%w_]+:$') then
    return nil
  end
  return vim.fn.strdisplaywidth(blank)
end

-- What stands before a name that is called, not defined.
local CALLING = {}
for word in ('return await yield go defer not if elif else while for case throw new'):gmatch('%S+') do
  CALLING[word] = true
end

--- Whether the line looks like the head of the function: `def area(`, `static int area(`, `area() {`, no call of it.
---@param line string
---@param wanted string pattern of the whole word
---@return boolean
local function is_head(line, wanted)
  local at = line:find(wanted .. '%s*[%(<]')
  if not at then
    return false
  end
  local before = vim.trim(line:sub(1, at - 1))
  if before == '' then
    return line:find('{%s*$') ~= nil
  end
  return not before:find('[=%(%.,]') and not CALLING[before:match('^%w+') or '']
end

--- Where the function begins that holds the last of the lines: the nearest less indented line that names it, else the
--- nearest block at the margin.
---@param lines string[] from the top of the file to the stopped line
---@param name? string the function as the adapter calls it
---@return integer index
function M.start_of_function(lines, name)
  if name and name:find('^<module') then
    return 1
  end
  local bare = name and name:gsub('%b()', ''):gsub('%b<>', ''):match('(' .. WORD .. ')%W*$')
  local wanted = bare and '%f[%w_\128-\255]' .. bare .. '%f[^%w_\128-\255]'
  local least = math.huge
  for index = #lines, 1, -1 do
    local line = lines[index]
    local indent = #line <= LONGEST_LINE and indent_of(line) or nil
    if indent and indent < least or indent == 0 and least == 0 then
      if wanted and is_head(line, wanted) then
        return index
      end
      -- At the margin a head may take several lines (`int main(int argc,` … `{`): it ends at a blank line above.
      if indent == 0 and (lines[index - 1] or ''):match('^%s*$') then
        return index
      end
      least = math.min(least, indent)
    end
  end
  return 1
end

return M
