--- Owns the debug keys: set in file buffers while a program is live here, given back from the state however it ended.

local buffers = require('lazydap.buffers')

local M = {}

---@type table<string, string> key to command
M.default = {
  ['<F5>'] = 'LazydapContinue',
  ['<F9>'] = 'LazydapBreak',
  ['<F10>'] = 'LazydapStep over',
  ['<F11>'] = 'LazydapStep in',
  ['<F12>'] = 'LazydapStep out',
  ['<S-F5>'] = 'LazydapStop',
  ['<F17>'] = 'LazydapStop', -- what many terminals send for Shift-F5
  ['+'] = 'LazydapUp',
  ['-'] = 'LazydapDown',
  ['K'] = 'LazydapHover',
}

local COUNTED = {}
for word in ('Step StepOver StepIn StepInto StepOut Next Up Down'):gmatch('%a+') do
  COUNTED[word] = true
end

local taken = {} ---@type table<integer, table<string, {before?: table, command: string}>> by buffer and key
local keys ---@type table<string, string>? nil while no keys are taken
local group = vim.api.nvim_create_augroup('lazydap_keys', {})

---@param command string
---@return string
local function right_side(command)
  if COUNTED[command:match('^Lazydap(%a+)')] then
    return ('<Cmd>execute v:count1 . %s<CR>'):format(vim.fn.string(command))
  end
  return ('<Cmd>%s<CR>'):format(command)
end

---@param buffer integer
---@param key string
---@return table? map the buffer's own map of the key in normal mode
local function own_map(buffer, key)
  return vim.api.nvim_buf_call(buffer, function()
    local map = vim.fn.maparg(key, 'n', false, true)
    return map.buffer == 1 and map or nil
  end)
end

---@param buffer integer
local function take(buffer)
  if not keys or taken[buffer] or not buffers.path(buffer) then
    return
  end
  taken[buffer] = {}
  for key, command in pairs(keys) do
    taken[buffer][key] = { before = own_map(buffer, key), command = command }
    vim.api.nvim_buf_set_keymap(buffer, 'n', key, right_side(command), {
      noremap = true,
      silent = true,
      desc = 'lazydap: ' .. command,
    })
  end
end

--- Neovim maps `K` when a language server is attached, unless the key is taken; while we had it, it was.
---@param buffer integer
local function give_to_language_server(buffer)
  local is_free = vim.api.nvim_buf_call(buffer, function()
    return vim.fn.maparg('K', 'n') == ''
  end)
  local is_default = vim.bo[buffer].keywordprg == vim.go.keywordprg and vim.go.keywordprg == ':Man'
  if not is_free or not is_default then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buffer })) do
    if client.server_capabilities.hoverProvider then
      vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = buffer, desc = 'vim.lsp.buf.hover()' })
      return
    end
  end
end

---@param buffer integer
local function give_back(buffer)
  local entries = taken[buffer]
  taken[buffer] = nil
  if not entries or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  for key, entry in pairs(entries) do
    local map = own_map(buffer, key)
    if map and map.desc == 'lazydap: ' .. entry.command then
      vim.api.nvim_buf_del_keymap(buffer, 'n', key)
      if entry.before then
        vim.api.nvim_buf_call(buffer, function()
          vim.fn.mapset('n', false, entry.before)
        end)
      elseif key == 'K' then
        give_to_language_server(buffer)
      end
    end
  end
end

---@param option boolean|table<string, string>
---@return table<string, string>?
local function chosen(option)
  if option == true then
    return M.default
  end
  return type(option) == 'table' and next(option) and option or nil
end

--- Take or give back the keys.
---@param is_wanted boolean a program is live and this editor follows it
---@param options table
function M.update(is_wanted, options)
  local wanted = is_wanted and chosen(options.debug_keys) or nil
  if vim.deep_equal(wanted, keys) then
    return
  end
  vim.api.nvim_clear_autocmds({ group = group })
  for _, buffer in ipairs(vim.tbl_keys(taken)) do
    give_back(buffer)
  end
  keys = wanted
  if not keys then
    return
  end
  for _, entry in ipairs(buffers.loaded()) do
    take(entry.buffer)
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufReadPost', 'BufNewFile' }, {
    group = group,
    callback = function(event)
      take(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      taken[event.buf] = nil
    end,
  })
end

return M
