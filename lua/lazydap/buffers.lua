--- Owns the tie between buffers and files: which buffer is an ordinary file, and what its real path is.

local M = {}

local SLASH = ('/'):byte()
local TEXT = 'lazydap://source/' -- how the names of code begin that is no file
local WRITING = { gitcommit = true, gitrebase = true, hgcommit = true, jjdescription = true, svn = true }

local known = {} ---@type table<integer, {name: string, path: string}>

--- The real path of a file name; of a file that is not there yet, its folder's real path and its name.
---@param name string absolute
---@return string
function M.real_path(name)
  local real = vim.uv.fs_realpath(name)
  if real then
    return real
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name))
  if folder then
    return (folder == '/' and '' or folder) .. '/' .. vim.fs.basename(name)
  end
  return vim.fs.normalize(name)
end

--- The real path of a buffer's file; nil when the buffer is no ordinary file with an absolute name.
---@param buffer integer
---@return string?
function M.path(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  -- Asked for every buffer on every stop, and `vim.bo` costs ten times as much.
  if name:byte() ~= SLASH or vim.api.nvim_get_option_value('buftype', { buf = buffer }) ~= '' then
    return nil
  end
  local entry = known[buffer]
  if not entry or entry.name ~= name then
    entry = { name = name, path = M.real_path(name) }
    known[buffer] = entry
  end
  return entry.path
end

--- What the state calls what a buffer shows: the path of a file, or the name of code that is no file.
---@param buffer integer
---@return string?
function M.place(buffer)
  local path = M.path(buffer)
  local name = not path and vim.api.nvim_buf_get_name(buffer) or ''
  return path or vim.startswith(name, TEXT) and name or nil
end

--- Whether that is the name of code which is no file.
---@param place string
---@return boolean
function M.is_text(place)
  return vim.startswith(place, TEXT)
end

--- Whether the buffer is a commit message, or another file that belongs to version control and not to a program.
---@param buffer integer
---@return boolean
function M.is_message(buffer)
  return WRITING[vim.bo[buffer].filetype] == true or vim.api.nvim_buf_get_name(buffer):find('/.git/', 1, true) ~= nil
end

--- Every loaded buffer that shows a file, or code that is none.
---@return {buffer: integer, path: string}[]
function M.loaded()
  local found = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_is_loaded(buffer) and M.place(buffer) or nil
    if path then
      found[#found + 1] = { buffer = buffer, path = path }
    end
  end
  return found
end

--- A loaded buffer that shows that, the current one first; nil when there is none.
---@param path string real path
---@return integer?
function M.of_path(path)
  if M.place(0) == path then
    return vim.api.nvim_get_current_buf()
  end
  for _, entry in ipairs(M.loaded()) do
    if entry.path == path then
      return entry.buffer
    end
  end
end

--- Forget a buffer that has been wiped.
---@param buffer integer
function M.forget(buffer)
  known[buffer] = nil
end

return M
