--- Owns showing a log file.

local buffers = require('lazydap.buffers')
local say = require('lazydap.say')
local state = require('lazydap.state')

local M = {}

--- Open a log at its end: `daemon`, `host`, or for an empty word the daemon's if it is known, else the host's.
---@param which string
function M.open(which)
  local host_log = require('lazydap.host').log_path()
  local project = state.commanded(buffers.path(0)) or {}
  local path
  if which == '' then
    path = project.log and vim.uv.fs_stat(project.log) and project.log or host_log
  elseif which == 'daemon' then
    path = project.log
  elseif which == 'host' then
    path = host_log
  else
    say.say(('log daemon or log host, not %s'):format(which), 'warn')
    return
  end
  if not path or not vim.uv.fs_stat(path) then
    say.say('there is no log yet' .. (path and (': ' .. path) or ': no daemon is known'), 'info')
    return
  end
  vim.cmd.split(vim.fn.fnameescape(path))
  vim.bo.readonly = true
  vim.bo.autoread = true
  vim.cmd('normal! G')
end

return M
