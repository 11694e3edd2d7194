--- Owns the values at the end of lines: of the stopped function, on visible lines, cut to a width.

local arrows = require('lazydap.arrows')
local buffers = require('lazydap.buffers')
local names = require('lazydap.names')
local state = require('lazydap.state')
local text = require('lazydap.text')

local M = {}

local namespace = require('lazydap.drawn').namespace

local FARTHEST = 5000 -- lines above the stop that are searched for the beginning of the function
local NARROWEST = 16 -- cells that one of several values keeps

local searched = {} ---@type table<integer, {key: string, start: integer}> the last search in each buffer
local drawn = {} ---@type table<integer, integer[]> extmarks by buffer

---@param buffer integer
---@return string[]
local function comment_leaders(buffer)
  local leaders = { '//', '/*' }
  local leader = vim.bo[buffer].commentstring:match('^%s*(%S+)%s*%%s')
  if leader and leader ~= '//' and leader ~= '/*' then
    leaders = { leader }
  end
  return leaders
end

--- The first line of the function around `line`, by a syntax tree only where one is valid already.
---@param buffer integer
---@param line integer
---@return integer?
local function start_by_tree(buffer, line)
  local highlighter = vim.treesitter.highlighter.active[buffer]
  local parser = highlighter and highlighter.tree
  if not parser or not parser:is_valid(true) then
    return nil
  end
  local row = line - 1
  local column = #(vim.api.nvim_buf_get_lines(buffer, row, line, false)[1] or ''):match('^%s*')
  local node = parser:named_node_for_range({ row, column, row, column }, { ignore_injections = true })
  while node do
    local kind = node:type()
    if kind:find('function', 1, true) or kind:find('method', 1, true) then
      local row_of_head = node:start()
      for _, word in ipairs({ 'definition', 'declaration', 'item' }) do
        if kind:find(word, 1, true) then
          return row_of_head + 1
        end
      end
    end
    node = node:parent()
  end
end

---@param buffer integer
---@param entry table a `values` entry of the state
---@param stop integer its line, inside the buffer
---@param top integer no line above it is asked for, so the search may end there
---@return integer
local function start_of_function(buffer, entry, stop, top)
  if entry.start then
    return entry.start
  end
  local by_tree = start_by_tree(buffer, stop)
  if by_tree then
    return by_tree
  end
  local key = ('%d %d %d %s'):format(vim.api.nvim_buf_get_changedtick(buffer), stop, top, entry.name or '')
  local last = searched[buffer]
  if not last or last.key ~= key then
    local first = math.max(stop - FARTHEST, top, 1)
    local lines = vim.api.nvim_buf_get_lines(buffer, first - 1, stop, false)
    last = { key = key, start = first - 1 + names.start_of_function(lines, entry.name) }
    searched[buffer] = last
  end
  return last.start
end

--- The lines of a buffer that are on the screen, as ranges; none when one of its windows shows a diff.
---@param buffer integer
---@return {first: integer, last: integer}[]
local function visible_ranges(buffer)
  local ranges = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      if vim.api.nvim_get_option_value('diff', { win = window }) then
        return {}
      end
      ranges[#ranges + 1] = { first = vim.fn.line('w0', window), last = vim.fn.line('w$', window) }
    end
  end
  return ranges
end

---@param buffer integer
---@param entry table
---@return table<integer, table[]> variables by line
local function by_line(buffer, entry)
  local ranges = visible_ranges(buffer)
  if #ranges == 0 then
    return {}
  end
  local stop = math.min(arrows.line_of(buffer, entry.line, entry.root), vim.api.nvim_buf_line_count(buffer))
  table.sort(ranges, function(a, b)
    return a.first < b.first
  end)
  local start = start_of_function(buffer, entry, stop, math.min(ranges[1].first, stop))
  local lines, numbers, seen = {}, {}, {}
  for _, range in ipairs(ranges) do
    local first, last = math.max(range.first, start), math.min(range.last, stop)
    for offset, line in ipairs(first <= last and vim.api.nvim_buf_get_lines(buffer, first - 1, last, false) or {}) do
      local number = first + offset - 1
      if not seen[number] then
        seen[number] = true
        lines[#lines + 1] = line
        numbers[#numbers + 1] = number
      end
    end
  end
  local wanted = vim.tbl_map(function(variable)
    return variable[1]
  end, entry.variables or {})
  local places = names.assign(lines, wanted, comment_leaders(buffer))
  local found = {} ---@type table<integer, table[]>
  for _, variable in ipairs(entry.variables or {}) do
    local index = places[variable[1]]
    if index then
      places[variable[1]] = nil -- an inner variable of the same name comes first and hides the outer one
      local number = numbers[index]
      found[number] = found[number] or {}
      table.insert(found[number], variable)
    end
  end
  return found
end

--- The text of one line's values, at most `width` cells.
---@param variables table[]
---@param is_stale boolean
---@param width integer
---@return {[1]: string, [2]: string}[] chunks
local function chunks_of(variables, is_stale, width)
  local pieces, total = {}, 0
  for index, variable in ipairs(variables) do
    local piece = text.one_line(('%s = %s'):format(variable[1], variable[2] or ''))
    pieces[index] = piece
    total = total + vim.fn.strdisplaywidth(piece) + 2
  end
  local share = total - 2 > width and math.max(math.floor((width + 2) / #pieces) - 2, NARROWEST) or width
  local chunks, used = {}, 0
  for index, piece in ipairs(pieces) do
    local lead = index == 1 and ' ' or ', '
    local room = math.min(share, width - used - (index == 1 and 0 or 2))
    if room < 4 then
      break
    end
    piece = text.cut(piece, room)
    used = used + vim.fn.strdisplaywidth(piece) + (index == 1 and 0 or 2)
    local group = variables[index][4] and 'LazydapValueChanged' or 'LazydapValue'
    chunks[#chunks + 1] = { lead, 'LazydapValue' }
    chunks[#chunks + 1] = { piece, is_stale and 'LazydapValueStale' or group }
  end
  return chunks
end

---@param buffer integer
local function clear(buffer)
  for _, id in ipairs(drawn[buffer] or {}) do
    vim.api.nvim_buf_del_extmark(buffer, namespace, id)
  end
  drawn[buffer] = nil
end

--- Draw the values of one buffer anew.
---@param buffer integer
---@param options table
function M.draw(buffer, options)
  local path = buffers.place(buffer)
  local entries = path and state.of_path('values', path) or {}
  clear(buffer)
  if #entries == 0 or not options.values then
    return
  end
  local ids = {}
  for _, entry in ipairs(entries) do
    for line, variables in pairs(by_line(buffer, entry)) do
      local ok, id = pcall(vim.api.nvim_buf_set_extmark, buffer, namespace, line - 1, 0, {
        virt_text = chunks_of(variables, entry.stale == true, options.values_width),
        hl_mode = 'combine',
        priority = math.max(options.sign_priority - 10, 0),
        invalidate = true,
        undo_restore = false,
      })
      if ok then
        ids[#ids + 1] = id
      end
    end
  end
  drawn[buffer] = ids
end

--- Whether values are drawn in the buffer, or would be.
---@param buffer integer
---@return boolean
function M.concerns(buffer)
  local path = buffers.place(buffer)
  return drawn[buffer] ~= nil or path ~= nil and #state.of_path('values', path) > 0
end

--- Forget a buffer whose marks died with it.
---@param buffer integer
function M.forget(buffer)
  drawn[buffer] = nil
  searched[buffer] = nil
end

return M
