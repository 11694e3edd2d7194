--- Owns the lists of stack and breakpoints: one quickfix or location list a kind, addressed by id, never in the way.

local breakpoints = require('lazydap.breakpoints')
local buffers = require('lazydap.buffers')
local moment = require('lazydap.moment')

local M = {}

---@class lazydap.List
---@field id? integer      of the quickfix or location list
---@field window? integer  whose location list it is
---@field items? table[]   what the state wants shown
---@field title? string
---@field shown? table[]   what was last written into the list
---@field opened? any      token of the last opening

local kinds = {} ---@type table<string, lazydap.List>

---@param list lazydap.List
---@param what table
---@return table
local function get(list, what)
  if list.window then
    return vim.fn.getloclist(list.window, what)
  end
  return vim.fn.getqflist(what)
end

---@param list lazydap.List
---@param action string
---@param what table
local function set(list, action, what)
  if list.window then
    vim.fn.setloclist(list.window, {}, action, what)
  else
    vim.fn.setqflist({}, action, what)
  end
end

--- Whether our list is still in the stack of lists: only ten are kept, and a location list dies with its window.
---@param list lazydap.List
---@return boolean
local function is_alive(list)
  if not list.id or list.window and not vim.api.nvim_win_is_valid(list.window) then
    return false
  end
  return get(list, { id = list.id }).id == list.id
end

---@param list lazydap.List
---@return integer window 0 when the list is not current or not shown
local function shown_in(list)
  if get(list, { id = 0 }).id ~= list.id then
    return 0
  end
  return get(list, { winid = 0 }).winid
end

--- What is written on a line, for an entry that has no words of its own.
---@param item table
---@return string
local function source_text(item)
  local buffer = item.path and item.line and buffers.of_path(item.path)
  local line = buffer and vim.api.nvim_buf_get_lines(buffer, item.line - 1, item.line, false)[1]
  return vim.trim(line or '')
end

--- What is to be shown: what the state wants, and of a breakpoint whose line is gone from the text that it is.
---@param kind string
---@param list lazydap.List
---@return table[]
local function presented(kind, list)
  if kind ~= 'breakpoints' then
    return list.items
  end
  return vim.tbl_map(function(item)
    if not item.path or not breakpoints.is_lost(item) then
      return item
    end
    local words = { '[lost]', item.text ~= '' and item.text or nil, '(its line is gone)' }
    return vim.tbl_extend('force', item, { text = table.concat(vim.tbl_values(words), ' ') })
  end, list.items)
end

---@param items table[]
---@return table[]
local function entries(items)
  return vim.tbl_map(function(item)
    return {
      filename = item.path,
      lnum = item.line or 0,
      text = item.text ~= nil and item.text ~= '' and item.text or source_text(item),
      user_data = { lazydap_id = item.id },
      valid = item.path and 1 or 0,
    }
  end, items)
end

---@param kind string
---@param list lazydap.List
---@param action ' '|'r'
local function write(kind, list, action)
  local items = presented(kind, list)
  local what = { title = list.title, items = entries(items), context = { lazydap = kind } }
  local window = 0
  if action == 'r' then
    what.id = list.id
    -- Replacing sets the index to 1 unless it is given.
    what.idx = math.min(get(list, { id = list.id, idx = 0 }).idx, #items)
    window = shown_in(list)
  end
  local view = window ~= 0 and vim.api.nvim_win_call(window, vim.fn.winsaveview)
  set(list, action, what)
  if view then
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end
  list.shown = items
  if action == ' ' then
    list.id = get(list, { id = 0 }).id
  end
end

---@param kind string
---@param list lazydap.List
---@return boolean
local function is_stale(kind, list)
  return not vim.deep_equal(presented(kind, list), list.shown)
end

--- Write what has changed into the lists a person is looking at; the others wait until they are looked at.
function M.refresh()
  for kind, list in pairs(kinds) do
    if is_alive(list) and shown_in(list) ~= 0 and is_stale(kind, list) then
      write(kind, list, 'r')
    end
  end
end

local is_watching = false

local function watch()
  if is_watching then
    return
  end
  is_watching = true
  -- A list comes into sight by :copen, by :colder, or by going to its tab page.
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'WinEnter', 'TabEnter' }, {
    group = vim.api.nvim_create_augroup('lazydap_lists', {}),
    callback = vim.schedule_wrap(function()
      if vim.bo.buftype == 'quickfix' then
        M.refresh()
      end
    end),
  })
end

--- A location list belongs to a window with a file; the list window of another list is none.
---@return integer
local function file_window()
  if vim.bo.buftype == '' then
    return vim.api.nvim_get_current_win()
  end
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  return previous ~= 0 and previous or vim.api.nvim_get_current_win()
end

---@param kind string
---@param list lazydap.List
---@param options table
local function open(kind, list, options)
  local window = options.lists == 'loclist' and file_window() or nil
  if list.window ~= window then
    list.window, list.id = window, nil
  end
  if not is_alive(list) then
    write(kind, list, ' ')
  else
    local number = get(list, { id = list.id, nr = 0 }).nr
    if window then
      vim.api.nvim_win_call(window, function()
        vim.cmd(('silent %dlhistory'):format(number))
      end)
    else
      vim.cmd(('silent %dchistory'):format(number))
    end
    write(kind, list, 'r')
  end
  if window then
    vim.api.nvim_set_current_win(window)
    vim.cmd('lopen')
  else
    vim.cmd('botright copen')
  end
  require('lazydap.list_keys').set(vim.api.nvim_get_current_buf())
  -- Breakpoints on lines are known anyway; all else is asked for only while it can be seen.
  require('lazydap.sight').watch(kind, function()
    return is_alive(list) and shown_in(list) ~= 0 and get(list, { id = list.id, qfbufnr = 0 }).qfbufnr or nil
  end)
end

--- Bring the lists in line with the state; one is opened once a token, when the person can be interrupted.
---@param wanted table<string, {title: string, items: table[], open: any}>
---@param options table
function M.update(wanted, options)
  watch()
  for kind, content in pairs(wanted) do
    local list = kinds[kind] or {}
    kinds[kind] = list
    list.items, list.title = content.items or {}, content.title or ('Lazydap ' .. kind)
    if content.open ~= nil and content.open ~= list.opened then
      list.opened = content.open
      moment.when_free('list ' .. kind, function()
        open(kind, list, options)
      end)
    end
  end
  M.refresh()
end

--- The entries on some lines, when the current window shows our list of that kind.
---@param kind string
---@param first integer
---@param last integer
---@return table[]?
function M.items(kind, first, last)
  local list = kinds[kind]
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  if not list or info.quickfix ~= 1 or not is_alive(list) or shown_in(list) ~= info.winid then
    return nil
  end
  return vim.list_slice(list.shown or {}, first, last)
end

--- The id of the entry under the cursor, when the current window shows our list of that kind.
---@param kind string
---@return integer?
function M.id_under_cursor(kind)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local item = (M.items(kind, line, line) or {})[1]
  return item and item.id or nil
end

--- The host is gone: the next one counts its tokens from the start.
function M.lose_host()
  for _, list in pairs(kinds) do
    list.opened = nil
  end
end

return M
