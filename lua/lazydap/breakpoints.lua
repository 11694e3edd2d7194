--- Owns the marks of breakpoints: one on the asked line of each, which follows the text, and one where it is shown.
---
--- A mark that has been drawn follows the text by itself. It is placed anew only when the *state* puts it elsewhere, so
--- editing above a breakpoint does not fight with the next batch (doc/architecture.md, "Host and editor").

local anchors = require('lazydap.anchors')
local buffers = require('lazydap.buffers')
local drawn = require('lazydap.drawn')
local state = require('lazydap.state')

local M = {}

local ROLE = 'breakpoint '

---@param breakpoint {root?: string, id: integer}
---@return string
local function key_of(breakpoint)
  return ('%s%s\0%d'):format(ROLE, breakpoint.root or '', breakpoint.id)
end

--- The marks that the breakpoints of a file are to have.
---@param path string
---@param records table<string, lazydap.Record>
---@param line_count integer
---@return lazydap.Spec[]
function M.specs(path, records, line_count)
  local specs = {} ---@type lazydap.Spec[]
  for _, breakpoint in ipairs(state.of_path('breakpoints', path)) do
    local asked = breakpoint.asked_line or breakpoint.line
    local key = key_of(breakpoint)
    local is_elsewhere = breakpoint.line ~= asked
    local record = records[key]
    local is_missing = record and record.is_missing or false
    specs[#specs + 1] = {
      key = key,
      role = (is_elsewhere or is_missing) and 'anchor' or 'breakpoint',
      place = tostring(asked),
      line = asked,
      entry = breakpoint,
    }
    if is_missing then
      specs[#specs + 1] = {
        key = 'lost ' .. key,
        role = 'breakpoint',
        place = tostring(record.told),
        line = record.told + 1,
        is_past_end = record.told >= line_count,
        entry = breakpoint,
        is_lost = true,
      }
    elseif is_elsewhere then
      specs[#specs + 1] = {
        key = 'moved ' .. key,
        role = 'breakpoint',
        place = tostring(breakpoint.line),
        line = breakpoint.line,
        entry = breakpoint,
      }
    end
  end
  return specs
end

--- Where the line of a breakpoint is in the text: the asked row unless its anchor says otherwise.
---@param buffer integer
---@param breakpoint lazydap.Breakpoint
---@param present? integer the row of the mark it has already
---@return integer? row
local function home(buffer, breakpoint, present)
  local asked = (breakpoint.asked_line or breakpoint.line) - 1
  if not breakpoint.anchor then
    return asked < vim.api.nvim_buf_line_count(buffer) and asked or nil
  end
  if anchors.of(buffer, asked) == breakpoint.anchor then
    -- Nothing has changed there: then a line that says little is found, too.
    return asked
  end
  if present and not anchors.stands_at(buffer, asked, breakpoint.anchor) then
    -- Somebody else's text has moved it, and here it has not moved: their line is another one here.
    if anchors.stands_at(buffer, present, breakpoint.anchor) then
      return present
    end
  end
  return (anchors.find(buffer, asked, breakpoint.anchor))
end

--- Give each breakpoint of the buffer a mark on its line; one that the state has not put elsewhere keeps what it has.
---@param buffer integer
---@param path string
---@param records table<string, lazydap.Record>
---@param rows table<integer, integer|false>
---@param options table
function M.adopt(buffer, path, records, rows, options)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, breakpoint in ipairs(state.of_path('breakpoints', path)) do
    local asked = breakpoint.asked_line or breakpoint.line
    local key = key_of(breakpoint)
    local record = records[key]
    -- A mark that is not there at all died with its buffer.
    local row = record and rows[record.id]
    local is_known = row ~= nil and (record.place == tostring(asked) or record.told == asked - 1)
    if is_known then
      record.place, record.entry = tostring(asked), breakpoint
    else
      local found = home(buffer, breakpoint, row or nil)
      local at = math.max(math.min(found or asked - 1, last), 0)
      local id = vim.api.nvim_buf_set_extmark(buffer, drawn.namespace, at, 0, {
        id = record and record.id or nil,
        invalidate = true,
        priority = options.sign_priority,
      })
      rows[id] = at
      records[key] = {
        id = id,
        place = tostring(asked),
        look = '',
        entry = breakpoint,
        -- In a text that was just read the host is to hear of it; while others write theirs, only of what changes here.
        told = row and at or asked - 1,
        anchor = breakpoint.anchor or found and anchors.of(buffer, found),
        is_missing = not found or nil,
        is_unplaced = not found or nil,
      }
      if found then
        anchors.remember(buffer, records[key], found)
      end
    end
  end
end

---@class lazydap.Tracked
---@field key string
---@field record lazydap.Record
---@field row? integer|false   of its mark; false where the line was deleted, nil where the mark has gone altogether

--- The breakpoints of a buffer with the marks of their own lines, from top to bottom as they were.
---@param buffer integer
---@return lazydap.Tracked[]
function M.tracked(buffer)
  local found = {} ---@type lazydap.Tracked[]
  local records = drawn.records(buffer)
  local rows = next(records) and drawn.rows(buffer) or {}
  for key, record in pairs(records) do
    if vim.startswith(key, ROLE) then
      found[#found + 1] = { key = key, record = record, row = rows[record.id] }
    end
  end
  table.sort(found, function(a, b)
    return a.record.told < b.record.told or a.record.told == b.record.told and a.key < b.key
  end)
  return found
end

--- Put the mark of a breakpoint on the row where its line was found.
---@param buffer integer
---@param key string
---@param row integer
function M.place(buffer, key, row)
  local record = drawn.records(buffer)[key]
  record.look = ''
  vim.api.nvim_buf_set_extmark(buffer, drawn.namespace, row, 0, { id = record.id, invalidate = true })
end

--- Whether the line of a breakpoint is nowhere in the text that is loaded.
---@param breakpoint {root: string, id: integer, path: string}
---@return boolean
function M.is_lost(breakpoint)
  local buffer = buffers.of_path(breakpoint.path)
  local record = buffer and drawn.records(buffer)[key_of(breakpoint)]
  return record and record.is_missing or false
end

--- The buffers that have breakpoints.
---@return integer[]
function M.buffers()
  return vim.tbl_filter(M.is_in, drawn.buffers())
end

--- Whether a buffer has breakpoints.
---@param buffer integer
---@return boolean
function M.is_in(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return false
  end
  for key in pairs(drawn.records(buffer)) do
    if vim.startswith(key, ROLE) then
      return true
    end
  end
  return false
end

---@class lazydap.Standing
---@field row integer
---@field breakpoint lazydap.Breakpoint

--- The breakpoints of a buffer and the rows on which they stand now, from top to bottom; one that the adapter moved
--- stands on both its lines.
---@param buffer integer
---@return lazydap.Standing[]
function M.standing(buffer)
  local found = {} ---@type lazydap.Standing[]
  local records = drawn.records(buffer)
  local rows = next(records) and drawn.rows(buffer) or {}
  for key, record in pairs(records) do
    local row = rows[record.id]
    if row and not vim.startswith(key, 'stop') and not vim.startswith(key, 'frame') then
      found[#found + 1] = { row = row, breakpoint = record.entry }
    end
  end
  table.sort(found, function(a, b)
    return a.row < b.row or a.row == b.row and a.breakpoint.id < b.breakpoint.id
  end)
  return found
end

return M
