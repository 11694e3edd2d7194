--- Owns the pane windows: their names, places and sizes, and that closing them leaves the layout as it was.

local layout = require('lazydap.layout')
local sight = require('lazydap.sight')
local tree = require('lazydap.tree')

local M = {}

---@class lazydap.PaneKind
---@field split 'left'|'right'|'above'|'below' of the whole tab page
---@field size integer columns or rows
---@field inside? string the pane whose window is split instead
---@field wrap? boolean
---@field create fun(): integer
---@field start? fun(buffer: integer): string? fills the new pane in its window by itself; a failure, where it cannot

---@type table<string, lazydap.PaneKind>
M.kinds = {
  variables = {
    split = 'left',
    size = 40,
    create = function()
      return tree.create('variables')
    end,
  },
  output = {
    split = 'below',
    size = 12,
    create = function()
      return require('lazydap.output').create()
    end,
  },
}

local buffers = {} ---@type table<string, integer>

--- The buffer of a pane, while there is one.
---@param name string
---@return integer?
function M.buffer(name)
  local buffer = buffers[name]
  return buffer and vim.api.nvim_buf_is_valid(buffer) and buffer or nil
end

--- The window of this tab page that shows a pane.
---@param name string
---@return integer?
function M.window(name)
  local buffer = M.buffer(name)
  for _, window in ipairs(buffer and vim.api.nvim_tabpage_list_wins(0) or {}) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

---@param buffer integer
---@param name string
local function name_buffer(buffer, name)
  vim.api.nvim_buf_set_name(buffer, 'lazydap://' .. name)
  vim.bo[buffer].bufhidden = 'hide'
end

---@param name string
---@return integer buffer
local function make(name)
  local buffer = M.buffer(name)
  if buffer then
    return buffer
  end
  -- A session that was restored brings an empty file of that name along.
  local leftover = vim.fn.bufnr('^lazydap://' .. name .. '$')
  buffer = M.kinds[name].create()
  if leftover > 0 then
    vim.api.nvim_buf_delete(leftover, { force = true })
  end
  name_buffer(buffer, name)
  buffers[name] = buffer
  return buffer
end

---@return table<integer, true> buffers that are panes
local function mine()
  local found = {} ---@type table<integer, true>
  for _, buffer in pairs(buffers) do
    found[buffer] = true
  end
  return found
end

-- With the console goes the prompt, whichever of the two is closed.
vim.api.nvim_create_autocmd('WinClosed', {
  group = vim.api.nvim_create_augroup('lazydap_panes', {}),
  callback = vim.schedule_wrap(function()
    for name, kind in pairs(M.kinds) do
      local is_whole = not kind.inside or (M.window(name) ~= nil) == (M.window(kind.inside) ~= nil)
      if not is_whole then
        M.close(name)
        M.close(kind.inside)
      end
    end
  end),
})

local function restore_layout()
  for name in pairs(M.kinds) do
    if M.window(name) then
      return
    end
  end
  layout.restore(mine())
end

---@param kind lazydap.PaneKind
---@return boolean
local function is_beside(kind)
  return kind.split == 'left' or kind.split == 'right'
end

local asked = {} ---@type table<integer, integer> by window the size it is to have where the screen has room
local given = {} ---@type table<integer, integer> by window the size it was left with

---@param kind lazydap.PaneKind
---@param size integer
---@return integer what the screen has room for
local function fitting(kind, size)
  return math.min(size, math.floor((is_beside(kind) and vim.o.columns or vim.o.lines) / 2))
end

---@param kind lazydap.PaneKind
---@param window integer
---@return integer
local function size_of(kind, window)
  return is_beside(kind) and vim.api.nvim_win_get_width(window) or vim.api.nvim_win_get_height(window)
end

---@param action fun(kind: lazydap.PaneKind, window: integer)
local function each_window(action)
  for name, kind in pairs(M.kinds) do
    for _, window in ipairs(M.buffer(name) and vim.fn.win_findbuf(M.buffer(name)) or {}) do
      action(kind, window)
    end
  end
end

--- What the panes have now is our doing or the screen's, and nobody's wish.
local function take_note()
  each_window(function(kind, window)
    asked[window] = asked[window] or kind.size
    given[window] = size_of(kind, window)
  end)
end

local function on_resized_screen()
  each_window(function(kind, window)
    local size = fitting(kind, asked[window] or kind.size)
    if is_beside(kind) then
      vim.api.nvim_win_set_width(window, size)
    else
      vim.api.nvim_win_set_height(window, size)
    end
  end)
  take_note()
end

local function on_resized_windows()
  each_window(function(kind, window)
    if given[window] and size_of(kind, window) ~= given[window] then
      asked[window], given[window] = size_of(kind, window), size_of(kind, window)
    end
  end)
  for window in pairs(asked) do
    if not vim.api.nvim_win_is_valid(window) then
      asked[window], given[window] = nil, nil
    end
  end
end

local resizing = vim.api.nvim_create_augroup('lazydap_pane_sizes', {})
vim.api.nvim_create_autocmd('VimResized', { group = resizing, callback = on_resized_screen })
vim.api.nvim_create_autocmd('WinResized', { group = resizing, callback = on_resized_windows })

---@param window integer
---@param kind lazydap.PaneKind
local function dress(window, kind)
  local outer = kind.inside and M.kinds[kind.inside] or kind
  local options = {
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    statuscolumn = '',
    wrap = kind.wrap == true,
    spell = false,
    list = false,
    cursorline = true,
    -- Only across its split: a fixed height would fix the windows beside it too, and what a window below them leaves
    -- behind would go to the panes.
    winfixwidth = is_beside(kind) or is_beside(outer),
    winfixheight = not is_beside(kind) or not is_beside(outer),
    winfixbuf = true,
  }
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

---@param name string
---@param windows integer[]
local function rebuild(name, windows)
  local kind = M.kinds[name]
  local buffer = M.buffer(name) or kind.create()
  buffers[name] = buffer
  local leftover = vim.api.nvim_win_get_buf(windows[1])
  for _, window in ipairs(windows) do
    vim.wo[window].winfixbuf = false
    vim.api.nvim_win_set_buf(window, buffer)
    dress(window, kind)
  end
  vim.api.nvim_buf_delete(leftover, { force = true })
  name_buffer(buffer, name)
  if not kind.start then
    sight.expect(name, function()
      return M.buffer(name)
    end)
  end
end

---@param name string of a pane that fills itself
---@param window integer
---@return string? failure
local function start(name, window)
  local failure ---@type string?
  vim.api.nvim_win_call(window, function()
    failure = M.kinds[name].start(buffers[name])
  end)
  return failure
end

--- Show a pane in this tab page; the cursor stays where it is.
---@param name string
---@return integer window
---@return string? failure
function M.open(name)
  local window = M.window(name)
  if window then
    return window
  end
  local kind = M.kinds[name]
  local is_new = not M.buffer(name)
  local buffer = make(name)
  layout.remember(mine())
  layout.without_equalising(function()
    window = vim.api.nvim_open_win(buffer, false, {
      split = kind.split,
      win = kind.inside and M.window(kind.inside) or -1,
      width = is_beside(kind) and fitting(kind, kind.size) or nil,
      height = not is_beside(kind) and fitting(kind, kind.size) or nil,
    })
    dress(window, kind)
  end)
  take_note()
  if not kind.start then
    sight.watch(name, function()
      return M.buffer(name)
    end)
    return window --[[@as integer]]
  end
  return window --[[@as integer]], is_new and start(name, window --[[@as integer]]) or nil
end

--- Begin a pane that fills itself anew, in the windows that show it.
---@param name string
---@return string? failure
function M.renew(name)
  local windows = vim.fn.win_findbuf(M.buffer(name) or -1)
  if #windows == 0 then
    return
  end
  buffers[name] = nil
  rebuild(name, windows)
  return start(name, windows[1])
end

--- Put the panes back that a restored session shows as empty buffers; a name we do not know goes.
function M.restore()
  for _, leftover in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(leftover):match('lazydap://(%a+)')
    local is_ours = name and M.buffer(name) == leftover
    if name == 'prompt' or name == 'console' then
      require('lazydap.console')
    end
    if name and not is_ours then
      local windows = vim.fn.win_findbuf(leftover)
      if M.kinds[name] and not M.kinds[name].start and #windows > 0 then
        rebuild(name, windows)
      else
        for _, window in ipairs(name == 'terminal' and windows or {}) do
          -- Of a program that may be gone; it is asked for again.
          pcall(vim.api.nvim_win_close, window, true)
        end
        vim.api.nvim_buf_delete(leftover, { force = true })
      end
    end
  end
end

--- Take a pane out of this tab page.
---@param name string
function M.close(name)
  local window = M.window(name)
  if not window then
    return
  end
  layout.without_equalising(function()
    -- The last window of a tab page cannot be closed by this: then there is no layout to give back either.
    pcall(vim.api.nvim_win_close, window, true)
  end)
  restore_layout()
  take_note()
  sight.report()
end

--- Show a pane, or take it away.
---@param name string
function M.toggle(name)
  if M.window(name) then
    M.close(name)
  else
    M.open(name)
  end
end

-- Everything in one colour: values of a program that has moved on.
local STALE = table.concat({
  'Normal:LazydapValueStale',
  'LazydapTreeName:LazydapValueStale',
  'LazydapTreeValue:LazydapValueStale',
  'LazydapTreeType:LazydapValueStale',
  'LazydapValueChanged:LazydapValueStale',
}, ',')

--- Write over a pane what it shows.
---@param name string
---@param title string
function M.set_title(name, title)
  local window = M.window(name)
  local wanted = title:gsub('%%', '%%%%')
  if window and vim.wo[window].winbar ~= wanted then
    vim.api.nvim_set_option_value('winbar', wanted, { win = window, scope = 'local' })
  end
end

---@param window integer
---@param is_stale boolean
local function mark_stale(window, is_stale)
  local wanted = is_stale and STALE or ''
  if vim.wo[window].winhighlight ~= wanted then
    vim.api.nvim_set_option_value('winhighlight', wanted, { win = window, scope = 'local' })
  end
end

--- Bring panes and float in line with the state.
---@param wanted table<string, lazydap.Pane>
function M.update(wanted)
  if wanted.float or package.loaded['lazydap.float'] then
    require('lazydap.float').update(wanted.float)
  end
  for name, content in pairs(wanted) do
    local buffer = name ~= 'float' and M.buffer(name) or nil
    if buffer then
      tree.draw(buffer, content)
      local window = M.window(name)
      if window then
        mark_stale(window, content.stale)
      end
      M.set_title(name, content.title)
    end
  end
  sight.report()
end

--- The host is gone: what is shown nobody vouches for, and the next host is told what can be seen.
function M.lose_host()
  if package.loaded['lazydap.float'] then
    require('lazydap.float').lose_host()
  end
  for name in pairs(M.kinds) do
    local window = M.window(name)
    if window then
      mark_stale(window, true)
    end
  end
  sight.lose_host()
end

return M
