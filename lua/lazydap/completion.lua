--- Owns completion of places, programs and exceptions; no built-in kind is used, because those expand `%` and `#`.

local state = require('lazydap.state')

local M = {}

local MOST = 200

--- Files and folders that begin with `lead`; a folder ends in a slash.
---@param lead string
---@return string[]
local function files(lead)
  local folder, prefix = lead:match('^(.*/)([^/]*)$')
  folder, prefix = folder or '', prefix or lead
  local place = vim.fs.normalize(folder == '' and '.' or folder, { expand_env = false })
  local found = {}
  for name, kind in vim.fs.dir(place) do
    local is_hidden = name:sub(1, 1) == '.' and prefix:sub(1, 1) ~= '.'
    if vim.startswith(name, prefix) and not is_hidden and #found < MOST then
      local is_folder = kind == 'directory'
        or kind == 'link' and vim.fn.isdirectory(vim.fs.joinpath(place, name)) == 1
      found[#found + 1] = folder .. name:gsub(' ', '\\ ') .. (is_folder and '/' or '')
    end
  end
  table.sort(found)
  return found
end

---@param words string[]
---@param lead string
---@return string[]
local function beginning(words, lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- The project that a command given here is for.
---@return table
local function project_here()
  return state.commanded(require('lazydap.buffers').path(0)) or {}
end

--- The lines that have breakpoints, as `:LazydapBreak` takes them.
---@return string[]
local function places()
  local found = {}
  for _, point in ipairs(state.get().breakpoints) do
    local name = vim.fn.fnamemodify(point.path, ':.'):gsub(' ', '\\ ')
    found[#found + 1] = ('%s:%d'):format(name, point.asked_line)
  end
  return found
end

--- For `:LazydapBreak`: a place first, then the keywords that may still come.
---@param lead string
---@param before string
---@return string[]
function M.of_break(lead, before)
  local open = { ['if'] = { 'hit', 'log' }, hit = { 'log' }, log = {} }
  local left = { 'if', 'hit', 'log' }
  for word in before:gmatch('%S+') do
    left = open[word] or left
  end
  local found = beginning(left, lead)
  if vim.trim(before) == '' then
    vim.list_extend(found, beginning(project_here().functions or {}, lead))
    vim.list_extend(found, beginning(places(), lead))
    if lead ~= '' then
      vim.list_extend(found, files(lead))
    end
  end
  return found
end

--- For `:LazydapLaunch`: names of configurations, of which only what stands behind `before` is returned; then files.
---@param lead string
---@param before string
---@return string[]
function M.of_launch(lead, before)
  -- A launch is of the file's own project, whatever is live.
  local own = state.project_of(require('lazydap.buffers').path(0)) or {}
  local found = vim.tbl_map(function(name)
    return name:sub(#before + 1)
  end, beginning(own.launches or {}, before .. lead))
  if before ~= '' and #found > 0 then
    return found
  end
  return vim.list_extend(found, files(lead))
end

--- For `:LazydapExceptions`: the filters that are not named yet.
---@param lead string
---@param before string
---@return string[]
function M.of_exceptions(lead, before)
  local named = vim.split(before, '%s+', { trimempty = true })
  return vim.tbl_filter(function(filter)
    return not vim.list_contains(named, filter)
  end, beginning(project_here().filters or {}, lead))
end

return M
