--- Owns who moves the cursor: only the following editor, only for a person who can be interrupted, only into a window
--- that shows files.

local arrows = require('lazydap.arrows')
local buffers = require('lazydap.buffers')
local moment = require('lazydap.moment')
local say = require('lazydap.say')

local M = {}

local kept = {} ---@type table<integer, integer> by tab page the window that was last chosen for a file
local done ---@type any token of the jump that was carried out or is waiting

---@param window integer
---@return boolean
local function is_fit(window)
  local function option(name, scope)
    return vim.api.nvim_get_option_value(name, scope)
  end
  if vim.api.nvim_win_get_config(window).relative ~= '' or option('previewwindow', { win = window }) then
    return false
  end
  local buffer = vim.api.nvim_win_get_buf(window)
  return option('buftype', { buf = buffer }) == '' or buffers.place(buffer) ~= nil
end

---@param window integer
---@return boolean
local function may_change(window)
  -- 'winfixbuf' came with 0.10, our floor. A commit message may be deleted with its window, and waits to be written.
  return is_fit(window)
    and not vim.wo[window].winfixbuf
    and not buffers.is_message(vim.api.nvim_win_get_buf(window))
end

--- The window for a file: one that shows it, else the one that was chosen before, else the current one, else the one
--- before, else any that may change.
---@param buffer? integer the file's buffer, when it is loaded
---@param is_here? boolean the user goes there from this window, whatever window was chosen for stops
---@return integer? window nil when a new one has to be opened
local function window_for(buffer, is_here)
  local windows = vim.api.nvim_tabpage_list_wins(0)
  table.insert(windows, 1, vim.api.nvim_get_current_win())
  for _, window in ipairs(buffer and windows or {}) do
    if is_fit(window) and vim.api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  if previous ~= 0 then
    table.insert(windows, 2, previous)
  end
  local before = kept[vim.api.nvim_get_current_tabpage()]
  if not is_here and before and vim.tbl_contains(windows, before) then
    table.insert(windows, 1, before)
  end
  for _, window in ipairs(windows) do
    if may_change(window) then
      return window
    end
  end
end

-- A new window beside panes and pinned windows takes over none of what makes them such.
local function open_window()
  vim.cmd('botright new')
  vim.bo.bufhidden = 'wipe'
end

--- Go to a window that shows the file, or that can and may.
---@param path string real path
---@param is_here? boolean from this window if it can and may, and stops keep theirs
---@return string? fault
function M.show(path, is_here)
  local buffer = buffers.of_path(path)
  if not buffer and vim.fn.filereadable(path) == 0 then
    return ('%s is not readable here'):format(vim.fn.fnamemodify(path, ':~:.'))
  end
  local window = window_for(buffer, is_here)
  if window then
    vim.api.nvim_set_current_win(window)
  else
    open_window()
  end
  if not is_here then
    kept[vim.api.nvim_get_current_tabpage()] = vim.api.nvim_get_current_win()
  end
  if buffer and vim.api.nvim_win_get_buf(0) == buffer then
    return nil
  end
  buffer = buffer or vim.fn.bufadd(path)
  vim.bo[buffer].buflisted = not buffers.is_text(path)
  vim.cmd("normal! m'")
  local before = vim.api.nvim_get_current_buf()
  local ok, fault = pcall(vim.api.nvim_win_set_buf, 0, buffer)
  if not ok then
    -- Without 'hidden' a changed buffer cannot be left: a second window can.
    vim.cmd('split')
    ok, fault = pcall(vim.api.nvim_win_set_buf, 0, buffer)
  end
  if ok and buffers.is_text(path) then
    require('lazydap.texts').instead(vim.api.nvim_get_current_win(), before)
  end
  return not ok and tostring(fault) or nil
end

---@param path string real path
---@param line integer
local function go(path, line)
  local fault = M.show(path)
  if fault then
    say.say(fault, 'warn')
    return
  end
  local last = vim.api.nvim_buf_line_count(0)
  local target = math.max(math.min(arrows.line_of(vim.api.nvim_get_current_buf(), line), last), 1)
  local content = vim.api.nvim_buf_get_lines(0, target - 1, target, false)[1] or ''
  local is_seen = target >= vim.fn.line('w0') and target <= vim.fn.line('w$')
  vim.api.nvim_win_set_cursor(0, { target, #content:match('^%s*') })
  if not is_seen then
    vim.cmd('normal! zz')
  end
  if vim.fn.foldclosed(target) ~= -1 then
    vim.cmd('normal! zv')
  end
end

--- Carry out the jump of the state, once a token.
---@param jump? {token: any, path: string, line: integer, reason?: 'stop'|'here'|'frame'}
---@param is_following boolean
function M.follow(jump, is_following)
  if not jump or jump.token == done then
    return
  end
  done = jump.token
  -- A stop moves only the following editor; the other jumps were asked for here.
  local is_wanted = is_following or jump.reason == 'here' or jump.reason == 'frame'
  if not is_wanted or not jump.path then
    moment.forget('jump')
    return
  end
  local outcome = moment.when_free('jump', function()
    go(jump.path, jump.line)
  end)
  if outcome == 'deferred' then
    local name = vim.fn.fnamemodify(jump.path, ':t')
    say.say(('%s:%d: the cursor follows in normal mode'):format(name, jump.line))
  end
end

--- The host is gone: its jumps are void, and the next host counts its tokens from the start.
function M.lose_host()
  done = nil
  moment.forget('jump')
end

return M
