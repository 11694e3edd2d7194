--- Owns what an opened file sets in motion: with breakpoints in its project's state file, the host starts by itself.

local buffers = require('lazydap.buffers')
local host = require('lazydap.host')

local M = {}

local MOST_BYTES = 1024 * 1024

--- Whether the state file seems to hold a breakpoint of that file. Saying yes too often only starts the host.
---@param state_file string
---@param path string
---@return boolean
function M.has_breakpoint(state_file, path)
  local file = io.open(state_file, 'r')
  if not file then
    return false
  end
  local content = file:read(MOST_BYTES) or ''
  file:close()
  if not content:find('[[breakpoints]]', 1, true) then
    return false
  end
  local name = vim.fs.basename(path)
  if name:find('[^%w%._%-]') then
    return true -- it may be written with escapes
  end
  return content:find(name .. '"', 1, true) ~= nil or content:find(name .. "'", 1, true) ~= nil
end

--- Whether the buffer is being debugged, not written, merged or compared.
---@param buffer integer
---@return boolean
local function is_source(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) or buffers.is_message(buffer) then
    return false
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if vim.wo[window].diff then
      return false
    end
  end
  return true
end

--- A file of a project with a state file was read.
---@param buffer integer
---@param state_file string
function M.found(buffer, state_file)
  -- Later: file type and 'diff' are set after the file was read, at start-up only once everything is loaded.
  local function look()
    local path = vim.api.nvim_buf_is_valid(buffer) and buffers.path(buffer)
    if path and not host.is_running() and is_source(buffer) and M.has_breakpoint(state_file, path) then
      host.start_in_background()
    end
  end
  if vim.v.vim_did_enter == 1 then
    vim.schedule(look)
  else
    vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(look) })
  end
end

--- A file was read while the host runs.
---@param buffer integer
function M.opened(buffer)
  local path = buffers.path(buffer)
  if path then
    host.tell({ verb = 'opened', file = path })
  end
end

return M
