--- Owns the text that a program was started from, as far as it is known, and which line of it is which of a buffer now.
---
--- An adapter counts the lines of the text that the program was made of. A file that was not written since then still
--- holds it; before it is written here, and once a program has stopped in it, that text is kept.

local buffers = require('lazydap.buffers')
local state = require('lazydap.state')

local M = {}

local MOST_BYTES = 4 * 1024 * 1024
local MOST_KEPT = 16 * 1024 * 1024 -- bytes of the files of one session
local ALIGNED = 60 -- lines of a change within which lines that were altered are told from new ones

---@class lazydap.Origin
---@field session string
---@field built? number          when its program was built, as it was found first; seconds
---@field texts table<string, string> by path
---@field bytes integer
---@field has_read? true          the files that were open when it was met
---@field told table<string, true> paths that were said to have changed

local origins = {} ---@type table<string, lazydap.Origin> by root
local compared = {} ---@type table<integer, {key: string, hunks: integer[][]}> the last comparison of each buffer

---@param path string
---@return number? seconds
local function written(path)
  local found = vim.uv.fs_stat(path)
  return found and found.mtime.sec + found.mtime.nsec / 1e9
end

---@param project table
---@return lazydap.Origin
local function of(project)
  local origin = origins[project.root]
  if not origin or origin.session ~= project.session_id then
    local built = project.is_built and written(project.program or '') or nil
    origin = { session = project.session_id, built = built, texts = {}, bytes = 0, told = {} }
    origins[project.root] = origin
  end
  return origin
end

--- When the text was taken that the program's lines are of; of a file that is not the project's only its start counts.
---@param project table
---@param path string
---@return number seconds
local function taken_at(project, path)
  local built = of(project).built
  local is_own = vim.startswith(path, project.root .. '/')
  return built and is_own and math.min(built, project.launched) or project.launched
end

---@param root string
---@return table? project whose program is known to have started when
local function dated(root)
  local project = state.of_root(root)
  return project and project.session_id and project.launched and project or nil
end

---@param project table
---@param path string
---@return boolean
local function has_changed(project, path)
  local at = written(path)
  return at ~= nil and at > taken_at(project, path)
end

---@param path string
---@return string?
local function read(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local content = file:read(MOST_BYTES + 1) or ''
  file:close()
  return #content <= MOST_BYTES and content:gsub('\r\n', '\n') or nil
end

--- The text of a file that the program was made of; nil when it has been written since, and nobody kept it.
---@param project table
---@param path string
---@return string?
local function text_of(project, path)
  local origin = of(project)
  if not origin.texts[path] and origin.bytes < MOST_KEPT and not has_changed(project, path) then
    origin.texts[path] = read(path)
    origin.bytes = origin.bytes + #(origin.texts[path] or '')
  end
  return origin.texts[path]
end

---@param text string
---@return string
local function ended(text)
  return text:sub(-1) == '\n' and text or text .. '\n'
end

---@param before string
---@param now string
---@return integer[][]
local function compare(before, now)
  local options = { result_type = 'indices', ignore_whitespace = true, linematch = ALIGNED }
  return (vim.text and vim.text.diff or vim.diff)(ended(before), ended(now), options) --[[@as integer[][] ]]
end

---@param buffer integer
---@param origin lazydap.Origin
---@param text string
---@return integer[][]
local function hunks_of(buffer, origin, text)
  local key = ('%s %d'):format(origin.session, vim.api.nvim_buf_get_changedtick(buffer))
  local last = compared[buffer]
  if not last or last.key ~= key then
    local now = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
    last = { key = key, hunks = compare(text, now) }
    compared[buffer] = last
  end
  return last.hunks
end

--- Where a line of the older text is: itself, altered, or the one that has taken its place.
---@param hunks integer[][] first line and number of lines, before and now
---@param line integer
---@return integer line
---@return 'same'|'altered'|'gone' fate
local function follow(hunks, line)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local first, count, now_first, now_count = hunk[1], hunk[2], hunk[3], hunk[4]
    if line < first or count == 0 and line == first then
      break
    elseif line < first + count then
      if now_count == 0 then
        return now_first + 1, 'gone'
      end
      return now_first + math.min(line - first, now_count - 1), 'altered'
    end
    shift = shift + now_count - count
  end
  return line + shift, 'same'
end

--- Where a line of the text of now is in the older one; nil where it is new.
---@param hunks integer[][] first line and number of lines, before and now
---@param line integer
---@return integer? line
---@return boolean is_altered
local function trace(hunks, line)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local first, count, now_first, now_count = hunk[1], hunk[2], hunk[3], hunk[4]
    if line < now_first or now_count == 0 and line == now_first then
      break
    elseif line < now_first + now_count then
      local into = line - now_first
      return into < count and first + into or nil, true
    end
    shift = shift + count - now_count
  end
  return line + shift, false
end

local WORDS = { altered = 'this line has changed since launch', gone = 'its line is gone since launch' }

--- The line of a buffer at which a place of the program stands, and what is to be said about that.
---@param buffer integer
---@param place lazydap.Place
---@return integer line
---@return string? words
function M.locate(buffer, place)
  local project = dated(place.root)
  if not project then
    return place.line
  end
  local is_older = has_changed(project, place.path)
  if not is_older and not vim.bo[buffer].modified then
    return place.line
  end
  local text = text_of(project, place.path)
  if not text then
    return place.line, is_older and 'changed since launch: this may not be the line' or nil
  end
  local line, fate = follow(hunks_of(buffer, of(project), text), place.line)
  return line, WORDS[fate] or is_older and 'changed since launch' or nil
end

---@class lazydap.Older where a line of now is in the text that a program was made of
---@field line? integer         nil where it is new
---@field is_new? boolean       that text has no such line
---@field is_altered? boolean   it has another one in its place
---@field is_unknown? boolean   that text is known to nobody

---@param project table
---@param path string
---@param line integer
---@return lazydap.Older
local function older(project, path, line)
  local buffer = buffers.of_path(path)
  if not has_changed(project, path) and not (buffer and vim.bo[buffer].modified) then
    return { line = line }
  end
  local text = text_of(project, path)
  if not text then
    return { line = line, is_unknown = true }
  end
  local hunks = buffer and hunks_of(buffer, of(project), text) or compare(text, read(path) or '')
  local there, is_altered = trace(hunks, line)
  if not there then
    return { is_new = true }
  end
  return { line = there, is_altered = is_altered or nil }
end

--- Where a line of a file as it is now is in the texts that the live programs were made of, by root.
---@param path string
---@param line integer
---@return table<string, lazydap.Older>? nil where nothing lives
function M.in_programs(path, line)
  local found = {} ---@type table<string, lazydap.Older>
  for _, live in ipairs(state.live()) do
    local project = dated(live.root)
    found[live.root] = project and older(project, path, line) or nil
  end
  return next(found) and found or nil
end

---@param project table
---@param path string
---@return string
local function advice(project, path)
  local name = vim.fs.basename(path)
  if project.is_built then
    local program = vim.fs.basename(project.program or '')
    return ('%s has changed since %s was built: build it, then :LazydapRestart'):format(name, program)
  end
  return ('%s has changed since the launch: :LazydapRestart runs it as it is now'):format(name)
end

---@param stop lazydap.Place
local function look_at(stop)
  local project = dated(stop.root)
  if not project or not stop.path then
    return
  end
  local origin = of(project)
  if not has_changed(project, stop.path) then
    -- Somebody else may write it.
    text_of(project, stop.path)
  elseif not origin.told[stop.path] and state.get().follow ~= false then
    origin.told[stop.path] = true
    if project.aged ~= stop.path then
      require('lazydap.say').say(advice(project, stop.path), 'warn')
    end
  end
end

--- Keep the text of a program's files that are open: by its first stop somebody may have written them.
---@param project table
local function read_open_files(project)
  local origin = of(project)
  if origin.has_read then
    return
  end
  origin.has_read = true
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_is_loaded(buffer) and buffers.path(buffer)
    local is_own = path and vim.startswith(path, project.root .. '/')
    if path and (is_own or #state.of_path('breakpoints', path) > 0) then
      text_of(project, path)
    end
  end
end

--- Keep the text of the files in which programs have stopped, say once of each that it has changed, and let go of what
--- an ended program was made of.
function M.update()
  for root in pairs(origins) do
    local project = state.of_root(root)
    if project and not state.is_live(project.state) then
      origins[root] = nil
    end
  end
  for _, live in ipairs(state.live()) do
    local project = dated(live.root)
    if project then
      read_open_files(project)
    end
  end
  for _, stop in ipairs(state.get().stops) do
    look_at(stop)
  end
end

--- A file is about to be written.
---@param path string
function M.writing(path)
  for _, live in ipairs(state.live()) do
    local project = dated(live.root)
    if project then
      text_of(project, path)
    end
  end
end

--- Forget a buffer that has gone.
---@param buffer integer
function M.forget(buffer)
  compared[buffer] = nil
end

return M
