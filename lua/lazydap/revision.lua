--- Owns that this Neovim runs one version of the plugin: what is loaded later comes from the files as they are now.

local M = {}

local held ---@type string? the files as they were then
local told ---@type string? the files of which was said that they are others

---@return string[] paths of our modules
local function files()
  local folder = require('lazydap.host').root() .. '/lua/lazydap'
  local found = {}
  for name in vim.fs.dir(folder) do
    if name:find('%.lua$') then
      found[#found + 1] = folder .. '/' .. name
    end
  end
  table.sort(found)
  return found
end

---@return string
local function stamp()
  return table.concat(vim.tbl_map(function(path)
    local found = vim.uv.fs_stat(path)
    return found and ('%s %d %d %d'):format(path, found.size, found.mtime.sec, found.mtime.nsec) or ''
  end, files()))
end

---@param paths string[] those left
local function read_on(paths)
  local path = table.remove(paths)
  if not path then
    return
  end
  local name = path:match('([^/]+)%.lua$')
  local module = name == 'init' and 'lazydap' or 'lazydap.' .. name
  if not package.loaded[module] and not package.preload[module] then
    -- Compiled, not run: who needs it runs it. One at a time: somebody may be typing.
    package.preload[module] = loadfile(path)
  end
  vim.schedule(function()
    read_on(paths)
  end)
end

--- Read what is not loaded yet, so that an update of the files mixes no old code with new.
function M.hold()
  if not held then
    held = stamp()
    read_on(files())
  end
end

--- Whether the files have become others than this Neovim runs; true once for each time they have.
---@return boolean
function M.is_outdated()
  local now = held and stamp()
  if now == held or now == told then
    return false
  end
  told = now
  return true
end

return M
