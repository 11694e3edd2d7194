--- Owns what becomes of the program when the editor leaves: it lives on, unless a person wants it otherwise.

local config = require('lazydap.config')
local host = require('lazydap.host')
local state = require('lazydap.state')

local M = {}

---@param project table
---@return boolean
local function is_unwanted(project)
  local choice = config.get().on_exit
  if choice ~= 'ask' then
    return choice == 'stop'
  end
  local name = vim.fs.basename(project.program or '')
  local question = ('lazydap: %s is live.'):format(name ~= '' and name or 'a program')
  return vim.fn.confirm(question, '&Keep it running\n&Stop it', 1) == 2
end

--- Called when the editor leaves.
function M.leave()
  local interpreter, file = host.interpreter(), host.start_file()
  for _, project in ipairs(state.live()) do
    -- A program that another editor moves is left to that one.
    local command = interpreter.path and { interpreter.path, '-E', file, 'stop', project.root, project.session_id }
    if command and project.following and project.session_id and is_unwanted(project) then
      vim.fn.jobstart(command, { detach = true })
    end
  end
end

return M
