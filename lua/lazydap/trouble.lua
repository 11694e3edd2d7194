--- Owns the diagnostic at the line where an exception stopped the program; it goes with the stop.

local arrows = require('lazydap.arrows')
local buffers = require('lazydap.buffers')
local state = require('lazydap.state')

local M = {}

local namespace = vim.api.nvim_create_namespace('lazydap_exception')
local is_watching = false

---@param stop lazydap.Place
---@return boolean
local function is_exception(stop)
  return stop.reason == 'exception' and stop.path ~= nil and (stop.text or '') ~= ''
end

---@param stop lazydap.Place
local function place(stop)
  local buffer = buffers.of_path(stop.path)
  local line = buffer and arrows.line_of(buffer, stop.line, stop.root)
  if not buffer or line > vim.api.nvim_buf_line_count(buffer) then
    return
  end
  vim.diagnostic.set(namespace, buffer, {
    {
      lnum = line - 1,
      col = 0,
      message = stop.text,
      severity = vim.diagnostic.severity.ERROR,
      source = 'lazydap',
    },
  })
end

--- Bring the diagnostics in line with the stops.
function M.update()
  vim.diagnostic.reset(namespace)
  for _, stop in ipairs(state.get().stops) do
    if is_exception(stop) then
      place(stop)
    end
  end
  if is_watching then
    return
  end
  is_watching = true
  vim.api.nvim_create_autocmd('BufReadPost', {
    group = vim.api.nvim_create_augroup('lazydap_exception', {}),
    callback = vim.schedule_wrap(M.update),
  })
end

--- Whether anything is to be drawn or taken away.
---@return boolean
function M.is_concerned()
  return is_watching or vim.iter(state.get().stops):any(is_exception)
end

return M
