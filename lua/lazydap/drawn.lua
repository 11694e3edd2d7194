--- Owns what is drawn of breakpoints, stops and frames in each buffer: one extmark each, in the namespace `lazydap`.

local anchors = require('lazydap.anchors')

local M = {}

M.namespace = vim.api.nvim_create_namespace('lazydap')

---@class lazydap.Spec
---@field key string             names the mark within its buffer
---@field role 'breakpoint'|'anchor'|'stop'|'frame'
---@field place string           changes when the state puts the mark elsewhere
---@field line integer
---@field entry table            the breakpoint or place it comes from
---@field row? integer           where it stands or will stand
---@field note? string           of an arrow: what has become of its line since the program was started
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
---@field sought? integer        the text, by its changedtick, in which its line was looked for last
---@field is_reread? boolean     an arrow's text was read again since it was drawn
---@field note? string

local by_buffer = {} ---@type table<integer, table<string, lazydap.Record>>

--- What is drawn in a buffer, by key.
---@param buffer integer
---@return table<string, lazydap.Record>
function M.records(buffer)
  return by_buffer[buffer] or {}
end

--- Take over what is drawn in a buffer; nil: its marks died with it.
---@param buffer integer
---@param records? table<string, lazydap.Record>
function M.keep(buffer, records)
  by_buffer[buffer] = records
end

--- The buffers in which anything is drawn.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(by_buffer)
end

--- Where the marks of a buffer stand.
---@param buffer integer
---@return table<integer, integer|false> rows by extmark; false for one whose text was deleted
function M.rows(buffer)
  local rows = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, M.namespace, 0, -1, { details = true })) do
    rows[mark[1]] = not mark[4].invalid and mark[2]
  end
  return rows
end

--- Whether a mark of that role shows where a program stands.
---@param role string
---@return boolean
function M.is_arrow(role)
  return role == 'stop' or role == 'frame'
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

--- Draw a mark as it is to look, unless it does already.
---@param buffer integer
---@param spec lazydap.Spec
---@param options vim.api.keyset.set_extmark
---@param records table<string, lazydap.Record>
function M.put(buffer, spec, options, records)
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
    if M.is_arrow(spec.role) then
      record.told, record.anchor, record.note = spec.row, nil, spec.note
      anchors.remember(buffer, record, spec.row)
    end
    record.id, record.place, record.look, record.entry = id, spec.place, look, spec.entry
    records[spec.key] = record
  end
end

return M
