--- Owns the signs: one extmark a breakpoint, stop and frame, in the namespace `lazydap`.
---
--- A mark that has been drawn follows the text by itself. It is placed anew only when the *state* puts it elsewhere, so
--- editing above a breakpoint does not fight with the next batch (doc/architecture.md, "Host and editor").

local anchors = require('lazydap.anchors')
local buffers = require('lazydap.buffers')
local state = require('lazydap.state')
local text = require('lazydap.text')

local M = {}

M.namespace = vim.api.nvim_create_namespace('lazydap')

local GLYPHS = {
  line = { filled = '●', hollow = '○' },
  condition = { filled = '◆', hollow = '◇' },
  log = { filled = '■', hollow = '□' },
  stop = '▶',
  frame = '▷',
}
local LETTERS = {
  line = { filled = 'B', hollow = 'b' },
  condition = { filled = 'C', hollow = 'c' },
  log = { filled = 'L', hollow = 'l' },
  stop = '>',
  frame = ')',
}

-- `rank`: which of several breakpoints on one line is shown, lowest first.
local LOOKS = {
  verified = { fill = 'filled', mark = ' ', group = 'LazydapBreakpointVerified', rank = 1 },
  moved = { fill = 'filled', mark = '~', group = 'LazydapBreakpointMoved', rank = 2 },
  idle = { fill = 'filled', mark = ' ', group = 'LazydapBreakpoint', rank = 3 },
  pending = { fill = 'hollow', mark = '?', group = 'LazydapBreakpointPending', rank = 4 },
  rejected = { fill = 'hollow', mark = '!', group = 'LazydapBreakpointRejected', rank = 5 },
  disabled = { fill = 'hollow', mark = '-', group = 'LazydapBreakpointDisabled', rank = 6 },
  lost = { fill = 'hollow', mark = '~', group = 'LazydapBreakpointMoved', rank = 7 },
}

local MOST_WORDS = 80 -- screen cells of the adapter's words at the end of a line

---@class lazydap.Spec
---@field key string             names the mark within its buffer
---@field role 'breakpoint'|'anchor'|'stop'|'frame'
---@field place string           changes when the state puts the mark elsewhere
---@field line integer
---@field entry table            the breakpoint or place it comes from
---@field row? integer           where it stands or will stand
---@field is_lost? boolean
---@field is_new? boolean        placed anew, whatever has been drawn
---@field is_past_end? boolean  lost because the file has fewer lines

---@class lazydap.Record: lazydap.Remembered
---@field id? integer            extmark
---@field place string
---@field look string            everything drawn, to tell whether it has changed
---@field entry table
---@field told integer           row that the host knows of; of an arrow, where it stood last
---@field is_missing? boolean    its line is nowhere in the text
---@field is_unplaced? boolean   its mark stands where the line is not
---@field is_reread? boolean     an arrow's text was read again since it was drawn

local drawn = {} ---@type table<integer, table<string, lazydap.Record>>
local pointed = {} ---@type table<integer, true> buffers with a stop or a frame

--- The glyphs to draw with: letters where one of the glyphs takes two cells here.
---@param options table
---@return table
local function glyphs(options)
  if options.ascii_signs then
    return LETTERS
  end
  for _, glyph in ipairs({ '●', '○', '◆', '◇', '■', '□', '▶', '▷' }) do
    if vim.api.nvim_strwidth(glyph) ~= 1 then
      return LETTERS
    end
  end
  return GLYPHS
end

---@param path string
---@param records table<string, lazydap.Record>
---@param line_count integer
---@return lazydap.Spec[]
local function specs_of(path, records, line_count)
  local specs = {} ---@type lazydap.Spec[]
  for _, breakpoint in ipairs(state.of_path('breakpoints', path)) do
    local asked = breakpoint.asked_line or breakpoint.line
    local key = ('%s\0%d'):format(breakpoint.root or '', breakpoint.id)
    local is_elsewhere = breakpoint.line ~= asked
    local record = records['breakpoint ' .. key]
    local is_missing = record and record.is_missing or false
    specs[#specs + 1] = {
      key = 'breakpoint ' .. key,
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
  for _, role in ipairs({ 'frame', 'stop' }) do
    for _, place in ipairs(state.of_path(role .. 's', path)) do
      specs[#specs + 1] = {
        key = role .. ' ' .. (place.root or ''),
        role = role,
        place = ('%d %s'):format(place.line, tostring(place.stop)),
        line = place.line,
        entry = place,
      }
    end
  end
  return specs
end

---@param buffer integer
---@return table<integer, integer|false> rows by extmark; false for one whose text was deleted
local function rows_of(buffer)
  local rows = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, M.namespace, 0, -1, { details = true })) do
    rows[mark[1]] = not mark[4].invalid and mark[2]
  end
  return rows
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
local function adopt(buffer, path, records, rows, options)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, breakpoint in ipairs(state.of_path('breakpoints', path)) do
    local asked = breakpoint.asked_line or breakpoint.line
    local key = ('breakpoint %s\0%d'):format(breakpoint.root or '', breakpoint.id)
    local record = records[key]
    -- A mark that is not there at all died with its buffer.
    local row = record and rows[record.id]
    local is_known = row ~= nil and (record.place == tostring(asked) or record.told == asked - 1)
    if is_known then
      record.place, record.entry = tostring(asked), breakpoint
    else
      local found = home(buffer, breakpoint, row or nil)
      local at = math.max(math.min(found or asked - 1, last), 0)
      local id = vim.api.nvim_buf_set_extmark(buffer, M.namespace, at, 0, {
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

---@param role string
---@return boolean
local function is_pointer(role)
  return role == 'stop' or role == 'frame'
end

--- Let an arrow stand where its line is now: with its mark, or where its text is found again.
---@param buffer integer
---@param spec lazydap.Spec
---@param record lazydap.Record
---@param row? integer of its mark
local function follow(buffer, spec, record, row)
  if not row then
    row = anchors.recover(buffer, record, not record.is_reread)
    spec.is_new = row ~= nil
  end
  spec.row = row
  if row then
    record.told, record.is_reread = row, nil
    anchors.remember(buffer, record, row)
  end
end

--- Find out where each mark stands.
---@param buffer integer
---@param specs lazydap.Spec[]
---@param records table<string, lazydap.Record>
---@param rows table<integer, integer|false>
local function settle(buffer, specs, records, rows)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, spec in ipairs(specs) do
    local record = records[spec.key]
    -- A mark that is not there at all died with its buffer. An arrow's may have been deleted with its line: while that
    -- is nowhere it stays away, for the line that has taken its place is not where the program stands.
    local is_known = record and record.place == spec.place and (is_pointer(spec.role) or rows[record.id] ~= nil)
    if is_known and is_pointer(spec.role) then
      follow(buffer, spec, record, rows[record.id])
    elseif is_known and not spec.is_lost then
      spec.row = rows[record.id] or nil
    else
      spec.row = math.max(math.min(spec.line - 1, last), 0)
      spec.is_new = true
    end
  end
end

---@param entry table
---@param is_lost? boolean
---@return table look
local function look_of(entry, is_lost)
  return is_lost and LOOKS.lost or LOOKS[entry.state] or LOOKS.idle
end

---@class lazydap.Row what shares one line
---@field stop? lazydap.Spec
---@field frame? lazydap.Spec
---@field breakpoint? lazydap.Spec the one that is shown

---@param specs lazydap.Spec[]
---@return table<integer, lazydap.Row>
local function share_rows(specs)
  local shared = {} ---@type table<integer, lazydap.Row>
  for _, spec in ipairs(specs) do
    if spec.row and spec.role ~= 'anchor' then
      local row = shared[spec.row] or {}
      shared[spec.row] = row
      local rival = row[spec.role]
      local is_better = not rival
        or spec.role == 'breakpoint'
          and look_of(spec.entry, spec.is_lost).rank < look_of(rival.entry, rival.is_lost).rank
      if is_better then
        row[spec.role] = spec
      end
    end
  end
  return shared
end

---@param spec lazydap.Spec
---@return string? words what the adapter has to say about it
local function words_of(spec)
  local breakpoint = spec.entry
  local words
  if breakpoint.state == 'pending' or breakpoint.state == 'moved' or breakpoint.state == 'rejected' then
    words = breakpoint.message or breakpoint.text
  elseif breakpoint.state == 'verified' then
    -- It binds, and something is wrong with it all the same: a condition that cannot be tried.
    words = breakpoint.message
  end
  local asked = breakpoint.asked_line or breakpoint.line
  local note
  if spec.is_past_end then
    note = ('line %d is past the end of the file: :LazydapBreak! here takes it away'):format(spec.line)
  elseif spec.is_lost then
    note = 'its line is gone: undo brings it back, :LazydapBreak! here takes it away'
  elseif breakpoint.line ~= asked then
    note = ('asked for line %d'):format(asked)
  end
  if words and words ~= '' and note then
    words = ('%s (%s)'):format(words, note)
  else
    words = words ~= '' and words or note
  end
  return words and text.cut(text.one_line(words), MOST_WORDS)
end

---@param spec lazydap.Spec
---@param row lazydap.Row
---@param glyph table
---@param priority integer
---@return vim.api.keyset.set_extmark
local function breakpoint_options(spec, row, glyph, priority)
  local look = look_of(spec.entry, spec.is_lost)
  local options = { priority = priority, invalidate = true, number_hl_group = look.group }
  if row.breakpoint == spec and not row.stop and not row.frame then
    options.sign_text = (glyph[spec.entry.kind] or glyph.line)[look.fill] .. look.mark
    options.sign_hl_group = look.group
  end
  local words = words_of(spec)
  if words then
    local is_trouble = spec.entry.state == 'verified' and spec.entry.message
    options.virt_text = { { ' ' .. words, is_trouble and LOOKS.rejected.group or look.group } }
  end
  return options
end

--- What an arrow alone does not say: the exception, or the function without a source that was called from here.
---@param place lazydap.Place
---@return string?
local function stop_words(place)
  local words = {}
  if place.text and place.text ~= '' then
    words[1] = place.text
  end
  if place.inner and place.inner ~= '' then
    words[#words + 1] = 'in ' .. place.inner
  end
  return #words > 0 and text.cut(text.one_line(table.concat(words, ', ')), MOST_WORDS) or nil
end

---@param spec lazydap.Spec
---@param row lazydap.Row
---@param glyph table
---@param priority integer
---@return vim.api.keyset.set_extmark
local function pointer_options(spec, row, glyph, priority)
  local is_stop = spec.role == 'stop'
  local options = {
    priority = priority + (is_stop and 20 or 10),
    invalidate = true,
    undo_restore = false,
    line_hl_group = is_stop and 'LazydapStoppedLine' or nil,
  }
  if row.stop == spec or row.frame == spec and not row.stop then
    local second = ' '
    if row.breakpoint then
      local entry = row.breakpoint.entry
      second = (glyph[entry.kind] or glyph.line)[look_of(entry, row.breakpoint.is_lost).fill]
    end
    options.sign_text = glyph[spec.role] .. second
    options.sign_hl_group = is_stop and 'LazydapStopped' or 'LazydapFrame'
  end
  local words = is_stop and stop_words(spec.entry)
  if words then
    options.virt_text = { { ' ' .. words, 'LazydapStopped' } }
  end
  return options
end

---@param options vim.api.keyset.set_extmark
---@return string
local function signature(options)
  return table.concat({
    options.sign_text or '',
    options.sign_hl_group or '',
    options.number_hl_group or '',
    options.line_hl_group or '',
    options.virt_text and options.virt_text[1][1] or '',
    tostring(options.priority),
  }, '\0')
end

---@param buffer integer
---@param spec lazydap.Spec
---@param options vim.api.keyset.set_extmark
---@param records table<string, lazydap.Record>
local function put(buffer, spec, options, records)
  local record = records[spec.key]
  local look = signature(options)
  if record and not spec.is_new and record.look == look then
    record.entry = spec.entry
    return
  end
  options.id = record and record.id or nil
  -- One protected call a mark: a sign text that is too wide after all must not take the other marks with it.
  local ok, id = pcall(vim.api.nvim_buf_set_extmark, buffer, M.namespace, spec.row, 0, options)
  if ok then
    record = record or { told = spec.row }
    if is_pointer(spec.role) then
      record.told, record.anchor = spec.row, nil
      anchors.remember(buffer, record, spec.row)
    end
    record.id, record.place, record.look, record.entry = id, spec.place, look, spec.entry
    records[spec.key] = record
  end
end

--- Bring the signs of one buffer in line with the state.
---@param buffer integer
---@param options table the options of the plugin
function M.draw(buffer, options)
  local path = buffers.path(buffer)
  local records = drawn[buffer] or {}
  local rows = next(records) and rows_of(buffer) or {}
  if path then
    adopt(buffer, path, records, rows, options)
  end
  local specs = path and specs_of(path, records, vim.api.nvim_buf_line_count(buffer)) or {}
  if #specs == 0 and not next(records) then
    return
  end
  drawn[buffer] = records
  pointed[buffer] = nil
  settle(buffer, specs, records, rows)
  local shared = share_rows(specs)
  local glyph = glyphs(options)
  local wanted = {} ---@type table<string, true>
  for _, spec in ipairs(specs) do
    wanted[spec.key] = true
    pointed[buffer] = pointed[buffer] or spec.role == 'stop' or spec.role == 'frame' or nil
    -- A mark whose line was deleted has no row: it is left as it is, so that undo brings it back.
    if spec.row then
      local extmark
      if spec.role == 'anchor' then
        extmark = { invalidate = true, priority = options.sign_priority }
      elseif spec.role == 'breakpoint' then
        extmark = breakpoint_options(spec, shared[spec.row], glyph, options.sign_priority)
      else
        extmark = pointer_options(spec, shared[spec.row], glyph, options.sign_priority)
      end
      put(buffer, spec, extmark, records)
    end
  end
  for key, record in pairs(records) do
    if not wanted[key] then
      if record.id then
        vim.api.nvim_buf_del_extmark(buffer, M.namespace, record.id)
      end
      records[key] = nil
    end
  end
end

--- The same when only stops and frames have changed: a buffer that neither had one nor gets one is left alone.
---@param buffer integer
---@param options table
function M.draw_pointers(buffer, options)
  local path = buffers.path(buffer)
  local has_one = path and (#state.of_path('stops', path) > 0 or #state.of_path('frames', path) > 0)
  if has_one or pointed[buffer] then
    M.draw(buffer, options)
  end
end

--- Draw the buffer from nothing: after it was read again, lines mean the file on disk. An arrow's line does not: it is
--- of the text the program was started with, so what is known of the arrow is its own text.
---@param buffer integer
---@param options table
function M.redraw(buffer, options)
  local kept = {} ---@type table<string, lazydap.Record>
  for key, record in pairs(drawn[buffer] or {}) do
    if record.id then
      vim.api.nvim_buf_del_extmark(buffer, M.namespace, record.id)
    end
    if is_pointer(key:match('^%a+')) then
      record.id, record.look, record.is_reread = nil, '', true
      kept[key] = record
    end
  end
  drawn[buffer] = kept
  M.draw(buffer, options)
end

--- The line on which the arrow for a place of the program stands, or stood before its text went.
---@param buffer integer
---@param line integer as the adapter has it
---@param root? string
---@return integer
function M.line_of(buffer, line, root)
  for _, role in ipairs({ 'frame', 'stop' }) do
    for key, record in pairs(drawn[buffer] or {}) do
      local entry = record.entry
      if vim.startswith(key, role) and entry.line == line and (not root or entry.root == root) then
        return record.told + 1
      end
    end
  end
  return line
end

--- Draw the arrows of a buffer whose text is gone where the adapter has them: somebody asks where the program stands.
---@param buffer integer
---@param options table
function M.point_again(buffer, options)
  local records, rows = drawn[buffer] or {}, rows_of(buffer)
  for key, record in pairs(records) do
    if is_pointer(key:match('^%a+')) and not rows[record.id] then
      records[key] = nil
    end
  end
  M.draw(buffer, options)
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
  local rows = drawn[buffer] and rows_of(buffer) or {}
  for key, record in pairs(drawn[buffer] or {}) do
    if vim.startswith(key, 'breakpoint ') then
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
  local record = drawn[buffer][key]
  record.look = ''
  vim.api.nvim_buf_set_extmark(buffer, M.namespace, row, 0, { id = record.id, invalidate = true })
end

--- Whether the line of a breakpoint is nowhere in the text that is loaded.
---@param breakpoint {root: string, id: integer, path: string}
---@return boolean
function M.is_lost(breakpoint)
  local buffer = buffers.of_path(breakpoint.path)
  local key = ('breakpoint %s\0%d'):format(breakpoint.root or '', breakpoint.id)
  local record = buffer and (drawn[buffer] or {})[key]
  return record and record.is_missing or false
end

--- The buffers that have breakpoints.
---@return integer[]
function M.drawn_buffers()
  return vim.tbl_filter(M.is_drawn, vim.tbl_keys(drawn))
end

--- Whether a buffer has breakpoints.
---@param buffer integer
---@return boolean
function M.is_drawn(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return false
  end
  for key in pairs(drawn[buffer] or {}) do
    if vim.startswith(key, 'breakpoint ') then
      return true
    end
  end
  return false
end

--- Forget a buffer whose marks died with it.
---@param buffer integer
function M.forget(buffer)
  drawn[buffer] = nil
  pointed[buffer] = nil
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
  local rows = drawn[buffer] and rows_of(buffer) or {}
  for key, record in pairs(drawn[buffer] or {}) do
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
