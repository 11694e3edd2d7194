--- Owns where the arrows of stops and chosen frames stand in the text.

local anchors = require('lazydap.anchors')
local drawn = require('lazydap.drawn')
local origin = require('lazydap.origin')
local state = require('lazydap.state')

local M = {}

--- The marks that the stops and frames in a file are to have.
---@param path string
---@return lazydap.Spec[]
function M.specs(path)
  local specs = {} ---@type lazydap.Spec[]
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

--- Put an arrow where the program's line is in the text as it stands now.
---@param buffer integer
---@param spec lazydap.Spec
function M.point(buffer, spec)
  local line, note = origin.locate(buffer, spec.entry)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  spec.row, spec.note = math.max(math.min(line - 1, last), 0), note
  spec.is_new = true
end

--- Let an arrow stand where its line is now: with its mark, or where its text is found again.
---@param buffer integer
---@param spec lazydap.Spec
---@param record lazydap.Record
---@param row? integer of its mark
function M.follow(buffer, spec, record, row)
  if not row then
    row = anchors.recover(buffer, record, not record.is_reread)
    spec.is_new = row ~= nil
  end
  spec.row, spec.note = row, record.note
  if row then
    record.told, record.is_reread = row, nil
    anchors.remember(buffer, record, row)
  end
end

--- The line on which the arrow for a place of the program stands, or stood before its text went.
---@param buffer integer
---@param line integer as the adapter has it
---@param root? string
---@return integer
function M.line_of(buffer, line, root)
  for _, role in ipairs({ 'frame', 'stop' }) do
    for key, record in pairs(drawn.records(buffer)) do
      local entry = record.entry
      if vim.startswith(key, role) and entry.line == line and (not root or entry.root == root) then
        return record.told + 1
      end
    end
  end
  return line
end

return M
