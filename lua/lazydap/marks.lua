--- Owns the drawing of signs: breakpoints and arrows of one buffer, which share the cells of a line.

local arrows = require('lazydap.arrows')
local breakpoints = require('lazydap.breakpoints')
local buffers = require('lazydap.buffers')
local drawn = require('lazydap.drawn')
local looks = require('lazydap.looks')
local state = require('lazydap.state')

local M = {}

local pointed = {} ---@type table<integer, true> buffers with a stop or a frame

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
    local is_known = record and record.place == spec.place and (drawn.is_arrow(spec.role) or rows[record.id] ~= nil)
    if is_known and drawn.is_arrow(spec.role) then
      arrows.follow(buffer, spec, record, rows[record.id])
    elseif is_known and not spec.is_lost then
      spec.row = rows[record.id] or nil
    elseif drawn.is_arrow(spec.role) then
      arrows.point(buffer, spec)
    else
      spec.row = math.max(math.min(spec.line - 1, last), 0)
      spec.is_new = true
    end
  end
end

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
          and looks.rank(spec) < looks.rank(rival)
      if is_better then
        row[spec.role] = spec
      end
    end
  end
  return shared
end

--- Bring the signs of one buffer in line with the state.
---@param buffer integer
---@param options table the options of the plugin
function M.draw(buffer, options)
  local path = buffers.place(buffer)
  local records = drawn.records(buffer)
  local rows = next(records) and drawn.rows(buffer) or {}
  if path then
    breakpoints.adopt(buffer, path, records, rows, options)
  end
  local specs = path and breakpoints.specs(path, records, vim.api.nvim_buf_line_count(buffer)) or {}
  vim.list_extend(specs, path and arrows.specs(path) or {})
  if #specs == 0 and not next(records) then
    return
  end
  drawn.keep(buffer, records)
  pointed[buffer] = nil
  settle(buffer, specs, records, rows)
  local shared = share_rows(specs)
  local glyph = looks.glyphs(options)
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
        extmark = looks.breakpoint(spec, shared[spec.row], glyph, options.sign_priority)
      else
        extmark = looks.arrow(spec, shared[spec.row], glyph, options.sign_priority)
      end
      drawn.put(buffer, spec, extmark, records)
    end
  end
  for key, record in pairs(records) do
    if not wanted[key] then
      if record.id then
        vim.api.nvim_buf_del_extmark(buffer, drawn.namespace, record.id)
      end
      records[key] = nil
    end
  end
end

--- The same when only stops and frames have changed: a buffer that neither had one nor gets one is left alone.
---@param buffer integer
---@param options table
function M.draw_pointers(buffer, options)
  local path = buffers.place(buffer)
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
  for key, record in pairs(drawn.records(buffer)) do
    if record.id then
      vim.api.nvim_buf_del_extmark(buffer, drawn.namespace, record.id)
    end
    if drawn.is_arrow(key:match('^%a+')) then
      record.id, record.look, record.is_reread = nil, '', true
      kept[key] = record
    end
  end
  drawn.keep(buffer, kept)
  M.draw(buffer, options)
end

--- Draw the arrows of a buffer whose text is gone where the adapter has them: somebody asks where the program stands.
---@param buffer integer
---@param options table
function M.point_again(buffer, options)
  local records, rows = drawn.records(buffer), drawn.rows(buffer)
  for key, record in pairs(records) do
    if drawn.is_arrow(key:match('^%a+')) and not rows[record.id] then
      records[key] = nil
    end
  end
  M.draw(buffer, options)
end

--- Forget a buffer whose marks died with it.
---@param buffer integer
function M.forget(buffer)
  drawn.keep(buffer, nil)
  pointed[buffer] = nil
end

return M
