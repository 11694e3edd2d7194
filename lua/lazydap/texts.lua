--- Owns the buffers with code that is no file on disk: as the adapter has it, to be looked at only.

local buffers = require('lazydap.buffers')
local state = require('lazydap.state')

local M = {}

local MIMES = { ['text/x-lldb.disassembly'] = 'asm' }

local made = {} ---@type table<string, integer> by name

---@param text lazydap.Text
---@return string filetype
local function filetype_of(text)
  local name = text.path:match('[^/]+$')
  local by_mime = text.mime_type and (MIMES[text.mime_type] or text.mime_type:match('^text/x%-([%w_]+)$'))
  return by_mime or text.filetype or vim.filetype.match({ filename = name }) or ''
end

---@param buffer integer
---@param text lazydap.Text
local function write(buffer, text)
  local lines = vim.split(text.text:gsub('\r', ''):gsub('\n$', ''), '\n')
  if not vim.deep_equal(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) then
    vim.bo[buffer].modifiable = true
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
    vim.bo[buffer].modified = false
  end
  vim.bo[buffer].modifiable = false
  local filetype = filetype_of(text)
  if vim.bo[buffer].filetype ~= filetype then
    vim.bo[buffer].filetype = filetype
  end
end

---@param text lazydap.Text
---@return integer
local function make(text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].undolevels = -1
  -- A buffer that is given a name is drawn at once: it has its lines before.
  write(buffer, text)
  vim.api.nvim_buf_set_name(buffer, text.path)
  made[text.path] = buffer
  return buffer
end

--- Note the file that a window has given up for such code: it comes back when nothing runs any more.
---@param window integer
---@param buffer integer
function M.instead(window, buffer)
  if not buffers.is_text(vim.api.nvim_buf_get_name(buffer)) then
    vim.w[window].lazydap_file = buffer
  end
end

---@param buffer integer
local function give_back_windows(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local file = vim.w[window].lazydap_file
    if file and vim.api.nvim_buf_is_loaded(file) then
      vim.api.nvim_win_set_buf(window, file)
    end
  end
end

--- Bring the buffers in line with the state. One that is no longer told of goes, at the latest with its window.
function M.update()
  local told = {} ---@type table<string, true>
  for _, text in ipairs(state.get().texts) do
    told[text.path] = true
    local buffer = made[text.path]
    if buffer and vim.api.nvim_buf_is_valid(buffer) then
      write(buffer, text)
    else
      buffer = make(text)
    end
    vim.bo[buffer].bufhidden = 'hide'
  end
  for path, buffer in pairs(made) do
    if not vim.api.nvim_buf_is_valid(buffer) then
      made[path] = nil
    elseif not told[path] and #vim.fn.win_findbuf(buffer) == 0 then
      made[path] = nil
      buffers.forget(buffer)
      vim.api.nvim_buf_delete(buffer, { force = true })
    elseif not told[path] then
      vim.bo[buffer].bufhidden = 'wipe'
      if #state.live() == 0 then
        give_back_windows(buffer)
      end
    end
  end
end

return M
