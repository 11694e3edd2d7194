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

local SERVERS_HOVER = 'vim.lsp.buf.hover()' -- how Neovim describes its own map

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

---@param map? table
---@param command string
---@return boolean
local function is_ours(map, command)
  return map ~= nil and map.desc == 'lazydap: ' .. command
end

--- Take the keys of a buffer of source text that are not taken in it yet.
---@param buffer integer
---@param again? boolean also those that were mapped anew since
local function take(buffer, again)
  if not keys or not buffers.place(buffer) or buffers.is_message(buffer) then
    return
  end
  local entries = taken[buffer] or {}
  taken[buffer] = entries
  for key, command in pairs(keys) do
    local map = own_map(buffer, key)
    -- Maps go with a buffer that is deleted; opened again it has its number, and none of them.
    if not entries[key] or not map or again and not is_ours(map, command) then
      entries[key] = { before = map, command = command }
      vim.api.nvim_buf_set_keymap(buffer, 'n', key, right_side(command), {
        noremap = true,
        silent = true,
        desc = 'lazydap: ' .. command,
      })
    end
  end
end

---@param buffer integer
---@return boolean
local function has_hover(buffer)
  return vim.iter(vim.lsp.get_clients({ bufnr = buffer })):any(function(client)
    return client.server_capabilities.hoverProvider and true or false
  end)
end

--- Whether 'keywordprg' is what Neovim, or one of its own filetype plugins, has made it.
---@param buffer integer
---@return boolean
local function has_plain_keywordprg(buffer)
  local value = vim.bo[buffer].keywordprg
  if value == '' or value == ':Man' then
    return true
  end
  local set_by = vim.api.nvim_get_option_info2('keywordprg', { buf = buffer }).last_set_sid
  return vim.iter(vim.fn.getscriptinfo()):any(function(script)
    return script.sid == set_by and vim.startswith(script.name, vim.env.VIMRUNTIME)
  end)
end

--- Neovim maps `K` when a language server is attached, unless the key is taken; while we had it, it was.
---@param buffer integer
local function give_to_language_server(buffer)
  local is_free = vim.api.nvim_buf_call(buffer, function()
    return vim.fn.maparg('K', 'n') == ''
  end)
  if is_free and has_plain_keywordprg(buffer) and has_hover(buffer) then
    vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = buffer, desc = SERVERS_HOVER })
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
    if is_ours(own_map(buffer, key), entry.command) then
      vim.api.nvim_buf_del_keymap(buffer, 'n', key)
      local before = entry.before
      if before and before.desc == SERVERS_HOVER and not has_hover(buffer) then
        before = nil -- Its server has gone meanwhile, and Neovim could not take it back.
      end
      if before then
        vim.api.nvim_buf_call(buffer, function()
          vim.fn.mapset('n', false, before)
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
  -- What is mapped as a server is attached is what would be there without a program: it is given back later.
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(event.buf) then
          take(event.buf, true)
        end
      end)
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
