--- Owns telling the host which panes can be seen, and how far down: for what nobody sees it asks nothing.

local host = require('lazydap.host')

local M = {}

local watched = {} ---@type table<string, fun(): integer?> name to its buffer
local told = {} ---@type table<string, integer> name to the last line that can be seen
local group ---@type integer?

---@param buffer integer
---@return integer? last nil when no window of this tab page shows the buffer
local function last_line(buffer)
  local last
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      local bottom = vim.fn.line('w0', window) + vim.api.nvim_win_get_height(window) - 1
      last = math.max(last or 0, bottom)
    end
  end
  return last
end

--- Tell what has changed since the last time.
function M.report()
  for name, buffer_of in pairs(watched) do
    local buffer = buffer_of()
    local last = buffer and last_line(buffer) or nil
    if last ~= told[name] and host.is_running() then
      told[name] = last
      host.tell({ verb = 'pane', name = name, shown = last ~= nil, last = last })
    end
  end
end

--- Report a pane from now on, and at once. A person has asked for it: the host is started if need be.
---@param name string
---@param buffer_of fun(): integer? its buffer while there is one
function M.watch(name, buffer_of)
  local buffer = buffer_of()
  local last = buffer and last_line(buffer)
  if last and host.send({ verb = 'pane', name = name, shown = true, last = last }) then
    told[name] = last
  end
  M.expect(name, buffer_of)
end

--- Report a pane from now on, to a host that runs.
---@param name string
---@param buffer_of fun(): integer?
function M.expect(name, buffer_of)
  watched[name] = buffer_of
  M.report()
  if group then
    return
  end
  group = vim.api.nvim_create_augroup('lazydap_sight', {})
  vim.api.nvim_create_autocmd(
    { 'WinScrolled', 'WinResized', 'WinClosed', 'BufWinEnter', 'BufWinLeave', 'TabEnter', 'WinEnter' },
    { group = group, callback = vim.schedule_wrap(M.report) }
  )
end

--- The host is gone: the next one has been told nothing.
function M.lose_host()
  told = {}
end

return M
