--- Owns the pane windows: their names, places and sizes, and that closing them leaves the layout as it was.

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

--- Do `action` with windows keeping their sizes as far as they can.
---@param action fun()
local function without_equalising(action)
  local equalises = vim.o.equalalways
  vim.o.equalalways = false
  local ok, fault = pcall(action)
  vim.o.equalalways = equalises
  if not ok then
    error(fault, 0)
  end
end

---@class lazydap.Layout
---@field windows integer[]
---@field sizes table<integer, {width: integer, height: integer}> by window
---@field screen integer[] columns and rows

local layouts = {} ---@type table<integer, lazydap.Layout> by tab page, from before the first pane

---@return integer[] windows of this tab page that are neither floats nor panes
local function own_windows()
  local mine = {} ---@type table<integer, true>
  for _, buffer in pairs(buffers) do
    mine[buffer] = true
  end
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == '' and not mine[vim.api.nvim_win_get_buf(window)]
  end, vim.api.nvim_tabpage_list_wins(0))
end

local function remember_layout()
  local tab = vim.api.nvim_get_current_tabpage()
  if not layouts[tab] then
    local windows, sizes = own_windows(), {}
    for _, window in ipairs(windows) do
      sizes[window] = { width = vim.api.nvim_win_get_width(window), height = vim.api.nvim_win_get_height(window) }
    end
    layouts[tab] = { windows = windows, sizes = sizes, screen = { vim.o.columns, vim.o.lines } }
  end
end

---@param layout lazydap.Layout
local function resize(layout)
  local cmdheight = vim.o.cmdheight
  -- Twice: giving one window its size may take from another that has its own already.
  for _ = 1, 2 do
    for _, window in ipairs(layout.windows) do
      vim.api.nvim_win_set_height(window, layout.sizes[window].height)
      vim.api.nvim_win_set_width(window, layout.sizes[window].width)
    end
  end
  -- What no window can take Neovim gives to the command line.
  if vim.o.cmdheight ~= cmdheight then
    vim.o.cmdheight = cmdheight
  end
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
  local tab = vim.api.nvim_get_current_tabpage()
  local layout = layouts[tab]
  for name in pairs(M.kinds) do
    if M.window(name) then
      return
    end
  end
  layouts[tab] = nil
  if not layout or not vim.deep_equal(layout.screen, { vim.o.columns, vim.o.lines }) then
    return
  end
  -- Beside other windows than before the sizes would fit no longer; one alone has all there is.
  if #layout.windows > 1 and vim.deep_equal(layout.windows, own_windows()) then
    resize(layout)
  end
end

---@param kind lazydap.PaneKind
---@return boolean
local function is_beside(kind)
  return kind.split == 'left' or kind.split == 'right'
end

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
  sight.expect(name, function()
    return M.buffer(name)
  end)
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
  remember_layout()
  without_equalising(function()
    window = vim.api.nvim_open_win(buffer, false, {
      split = kind.split,
      win = kind.inside and M.window(kind.inside) or -1,
      width = is_beside(kind) and math.min(kind.size, math.floor(vim.o.columns / 2)) or nil,
      height = not is_beside(kind) and math.min(kind.size, math.floor(vim.o.lines / 2)) or nil,
    })
    dress(window, kind)
  end)
  if not kind.start then
    sight.watch(name, function()
      return M.buffer(name)
    end)
    return window --[[@as integer]]
  end
  local failure ---@type string?
  if is_new then
    vim.api.nvim_win_call(window --[[@as integer]], function()
      failure = kind.start(buffer)
    end)
  end
  return window --[[@as integer]], failure
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
  without_equalising(function()
    -- The last window of a tab page cannot be closed by this: then there is no layout to give back either.
    pcall(vim.api.nvim_win_close, window, true)
  end)
  restore_layout()
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
