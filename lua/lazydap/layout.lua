--- Owns that the windows of a tab page have their sizes back when the panes beside them are gone.

local M = {}

--- Do `action` with windows keeping their sizes as far as they can.
---@param action fun()
function M.without_equalising(action)
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

---@param panes table<integer, true>
---@return integer[] windows of this tab page that are neither floats nor panes
local function own_windows(panes)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_config(window).relative == '' and not panes[vim.api.nvim_win_get_buf(window)]
  end, vim.api.nvim_tabpage_list_wins(0))
end

--- Keep the sizes of the windows, unless they were kept already.
---@param panes table<integer, true> buffers of windows that are to come and go
function M.remember(panes)
  local tab = vim.api.nvim_get_current_tabpage()
  if not layouts[tab] then
    local windows, sizes = own_windows(panes), {}
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
      local size = layout.sizes[window]
      -- On another screen than before each has the same part of it.
      vim.api.nvim_win_set_height(window, math.max(math.floor(size.height * vim.o.lines / layout.screen[2]), 1))
      vim.api.nvim_win_set_width(window, math.max(math.floor(size.width * vim.o.columns / layout.screen[1]), 1))
    end
  end
  -- What no window can take Neovim gives to the command line.
  if vim.o.cmdheight ~= cmdheight then
    vim.o.cmdheight = cmdheight
  end
end

--- Give the windows the sizes they had.
---@param panes table<integer, true>
function M.restore(panes)
  local tab = vim.api.nvim_get_current_tabpage()
  local layout = layouts[tab]
  layouts[tab] = nil
  -- Beside other windows than before the sizes would fit no longer; one alone has all there is.
  if layout and #layout.windows > 1 and vim.deep_equal(layout.windows, own_windows(panes)) then
    resize(layout)
  end
end

return M
