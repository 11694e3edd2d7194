--- Owns that breakpoints follow their text: looks where each line has gone, and tells the host.
---
--- Marks move with most edits by themselves. A mark whose line was taken away, by a formatter, a filter or a reload, is
--- looked for by its text. One that is nowhere stays at its old line and says so, until an undo or another reload
--- brings its line back.

local anchors = require('lazydap.anchors')
local breakpoints = require('lazydap.breakpoints')
local buffers = require('lazydap.buffers')
local config = require('lazydap.config')
local lists = require('lazydap.lists')
local marks = require('lazydap.marks')
local origin = require('lazydap.origin')

local M = {}

local SEARCH = 1 -- milliseconds of one turn that are spent on searching
local PAUSE = 5 -- milliseconds for the editor between two turns
local QUIET = 200 -- milliseconds after a change of the text until the host hears of it

---@class lazydap.Move
---@field root string
---@field id integer
---@field line integer
---@field anchor? string
---@field source? string  the file it is in now, where that has another name
---@field path string

local untold = {} ---@type table<string, lazydap.Move> by root and id
local ticks = {} ---@type table<integer, integer> the text of each buffer that was looked at last
local former = {} ---@type table<integer, {path: string, tracked: lazydap.Tracked[]}> renamed buffers
local timer ---@type uv.uv_timer_t?

---@param entry lazydap.Breakpoint
---@param row integer
---@param anchor? string
---@param source? string
local function note(entry, row, anchor, source)
  untold[entry.root .. '\0' .. entry.id] =
    { root = entry.root, id = entry.id, line = row + 1, anchor = anchor, source = source, path = entry.path }
end

--- Where the running program has the line; 0 where it does not have it, nil where nobody knows.
---@param move lazydap.Move
---@return integer?
local function program_line(move)
  local older = (origin.in_programs(move.path, move.line) or {})[move.root]
  if not older or older.is_unknown or move.source then
    return nil
  end
  return older.line or 0
end

--- Tell the host what has not been told.
---@param is_saved boolean the text is on disk: worth starting a daemon for
local function tell(is_saved)
  local host = require('lazydap.host')
  if not host.is_running() then
    return -- The next host hears of it before anything else.
  end
  if timer then
    timer:stop()
  end
  local by_root = {} ---@type table<string, table[]>
  for _, move in pairs(untold) do
    by_root[move.root] = by_root[move.root] or {}
    table.insert(by_root[move.root], {
      id = move.id,
      line = move.line,
      anchor = move.anchor,
      source = move.source,
      program_line = program_line(move),
    })
  end
  untold = {}
  for root, moves in pairs(by_root) do
    table.sort(moves, function(a, b)
      return a.id < b.id
    end)
    host.tell({ verb = 'moved', root = root, moves = moves, saved = is_saved })
  end
end

local function tell_soon()
  timer = timer or assert(vim.uv.new_timer())
  timer:start(QUIET, 0, vim.schedule_wrap(function()
    tell(false)
  end))
end

---@class lazydap.Turn one look at the text of a buffer
---@field tick integer          of that text
---@field ends? number          nanoseconds of the clock after which nothing more is searched for
---@field has_searched? boolean
---@field is_cut? boolean       something is left to be searched for

--- Where a line is whose mark was taken away; nil where it was not found in this text, or is not searched for yet.
---@param buffer integer
---@param tracked lazydap.Tracked
---@param turn lazydap.Turn
---@return integer? row
local function search(buffer, tracked, turn)
  local record = tracked.record
  if record.sought == turn.tick then
    return nil
  end
  if turn.ends and turn.has_searched and vim.uv.hrtime() > turn.ends then
    turn.is_cut = true
    return nil
  end
  turn.has_searched, record.sought = true, turn.tick
  return anchors.recover(buffer, record, tracked.row == false)
end

---@param buffer integer
---@param tracked lazydap.Tracked
---@param taken table<string, true> rows that have a breakpoint of the same project
---@param turn lazydap.Turn
---@return boolean is_changed
local function look(buffer, tracked, taken, turn)
  local record = tracked.record
  local was_missing = record.is_missing
  local row = tracked.row
  if not row or record.is_missing and record.is_unplaced then
    row = search(buffer, tracked, turn)
    if row then
      breakpoints.place(buffer, tracked.key, row)
    end
  end
  local place = row and record.entry.root .. '\0' .. row
  -- Where two lines have become one, it has one breakpoint: the other has lost its line.
  record.is_missing = not row or taken[place] or nil
  if row and not record.is_missing then
    taken[place] = true
    record.is_unplaced = nil
    anchors.remember(buffer, record, row)
    if row ~= record.told then
      record.told = row
      note(record.entry, row, record.anchor)
    end
  end
  return was_missing ~= record.is_missing
end

--- Look where the breakpoints of a buffer stand now.
---@param buffer integer
---@param within? number milliseconds for searching, of which one search may take more; nil: all is searched for
---@return boolean is_done false when some are left: they count as lost until the next look
local function read_back(buffer, within)
  local turn = { tick = vim.api.nvim_buf_get_changedtick(buffer) } ---@type lazydap.Turn
  turn.ends = within and vim.uv.hrtime() + within * 1e6
  local taken, is_changed = {}, false
  for _, tracked in ipairs(breakpoints.tracked(buffer)) do
    is_changed = look(buffer, tracked, taken, turn) or is_changed
  end
  ticks[buffer] = not turn.is_cut and turn.tick or nil
  if is_changed then
    marks.draw(buffer, config.get())
    lists.refresh()
  end
  return not turn.is_cut
end

--- The breakpoints of a file that has another name now go with it, once the old name is free: a copy leaves them.
---@param buffer integer
local function follow_name(buffer)
  local old = former[buffer]
  local path = old and buffers.path(buffer)
  if not old or not path or vim.uv.fs_stat(old.path) or not vim.uv.fs_stat(path) then
    return
  end
  former[buffer] = nil
  if path ~= old.path then
    for _, tracked in ipairs(old.tracked) do
      note(tracked.record.entry, tracked.row or tracked.record.told, tracked.record.anchor, path)
    end
  end
end

--- The text of a buffer has changed, or may have.
---@param buffer integer
function M.changed(buffer)
  if not breakpoints.is_in(buffer) then
    return
  end
  if not read_back(buffer, SEARCH) then
    vim.defer_fn(function()
      if vim.api.nvim_buf_is_valid(buffer) then
        M.changed(buffer)
      end
    end, PAUSE)
  end
  if next(untold) then
    tell_soon()
  end
end

--- A buffer was read again: lines mean the file on disk.
---@param buffer integer
function M.reloaded(buffer)
  marks.redraw(buffer, config.get())
  M.changed(buffer)
  if breakpoints.is_in(buffer) then
    lists.refresh()
  end
end

--- A buffer was written: its lines and their text are the file's.
---@param buffer integer
function M.saved(buffer)
  read_back(buffer)
  for _, tracked in ipairs(breakpoints.tracked(buffer)) do
    local record, entry = tracked.record, tracked.record.entry
    local asked = entry.asked_line or entry.line
    if tracked.row and not record.is_missing and (tracked.row + 1 ~= asked or record.anchor ~= entry.anchor) then
      record.told = tracked.row
      note(entry, tracked.row, record.anchor)
    end
  end
  follow_name(buffer)
  if next(untold) then
    tell(true)
  end
end

--- The buffer is about to get another name.
---@param buffer integer
function M.renaming(buffer)
  local path = buffers.path(buffer)
  if path and not former[buffer] and breakpoints.is_in(buffer) then
    read_back(buffer)
    former[buffer] = { path = path, tracked = breakpoints.tracked(buffer) }
  end
end

--- The buffer has another name.
---@param buffer integer
function M.renamed(buffer)
  marks.redraw(buffer, config.get())
  -- Who renames a file does so before or after: in a moment both names are what they will be.
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(buffer) then
      follow_name(buffer)
      tell(true)
    end
  end)
end

--- Tell the host at once where everything stands: what it is asked for next depends on it.
function M.settle()
  for buffer in pairs(former) do
    follow_name(buffer)
  end
  for _, buffer in ipairs(breakpoints.buffers()) do
    if ticks[buffer] ~= vim.api.nvim_buf_get_changedtick(buffer) then
      read_back(buffer)
    end
  end
  if next(untold) then
    tell(false)
  end
end

--- Forget a buffer that has gone.
---@param buffer integer
function M.forget(buffer)
  ticks[buffer], former[buffer] = nil, nil
end

return M
