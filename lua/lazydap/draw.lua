--- Owns the meeting of a batch with the editor: takes the sections over and lets each part draw what is its own.
---
--- The host calls `apply`, `message`, `choose`, `print` and `answer`, and nothing else of the plugin.

local buffers = require('lazydap.buffers')
local config = require('lazydap.config')
local cursor = require('lazydap.cursor')
local events = require('lazydap.events')
local following = require('lazydap.following')
local highlights = require('lazydap.highlights')
local keys = require('lazydap.keys')
local lists = require('lazydap.lists')
local marks = require('lazydap.marks')
local origin = require('lazydap.origin')
local say = require('lazydap.say')
local state = require('lazydap.state')
local values = require('lazydap.values')

local M = {}

---@param part fun(buffer: integer, options: table)
---@param options table
local function each_buffer(part, options)
  for _, entry in ipairs(buffers.loaded()) do
    part(entry.buffer, options)
  end
end

local is_watching = false

--- Buffers come, change and go between two batches.
local function watch()
  if is_watching then
    return
  end
  is_watching = true
  local group = vim.api.nvim_create_augroup('lazydap_draw', {})
  local function on(names, action)
    vim.api.nvim_create_autocmd(names, { group = group, callback = action })
  end
  on({ 'BufReadPost', 'BufNewFile', 'FileChangedShellPost' }, function(event)
    following.reloaded(event.buf)
    values.draw(event.buf, config.get())
  end)
  on('BufFilePre', function(event)
    following.renaming(event.buf)
  end)
  on('BufFilePost', function(event)
    following.renamed(event.buf)
    values.draw(event.buf, config.get())
  end)
  on({ 'TextChanged', 'InsertLeave' }, function(event)
    following.changed(event.buf)
    marks.draw(event.buf, config.get())
    if values.concerns(event.buf) then
      -- A filter takes the marks of the values away with the lines it replaces.
      values.draw(event.buf, config.get())
    end
  end)
  on('BufWritePre', function(event)
    local path = buffers.path(event.buf)
    if path then
      origin.writing(path)
    end
  end)
  on('BufWritePost', function(event)
    following.saved(event.buf)
  end)
  on('BufWinEnter', function(event)
    if values.concerns(event.buf) then
      values.draw(event.buf, config.get())
    end
  end)
  on({ 'WinScrolled', 'WinResized' }, function()
    local options = config.get()
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local buffer = vim.api.nvim_win_get_buf(window)
      if values.concerns(buffer) then
        values.draw(buffer, options)
      end
    end
  end)
  on({ 'BufDelete', 'BufWipeout' }, function(event)
    marks.forget(event.buf)
    following.forget(event.buf)
    values.forget(event.buf)
    origin.forget(event.buf)
    buffers.forget(event.buf)
  end)
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'ambiwidth', 'diff' },
    callback = vim.schedule_wrap(function()
      each_buffer(marks.draw, config.get())
      each_buffer(values.draw, config.get())
    end),
  })
end

--- Draw the sections that changed. A part that fails does not keep the others from drawing.
---@param changed table<string, true>
---@return string? fault the first one
local function draw(changed)
  local options = config.get()
  local now = state.get()
  local fault
  local function try(part, ...)
    local ok, problem = pcall(part, ...)
    fault = fault or not ok and tostring(problem) or nil
  end
  if changed.texts and (#now.texts > 0 or package.loaded['lazydap.texts']) then
    try(require('lazydap.texts').update)
  end
  if changed.breakpoints then
    try(each_buffer, marks.draw, options)
  elseif changed.stops or changed.frames then
    try(each_buffer, marks.draw_pointers, options)
  end
  if changed.stops and (package.loaded['lazydap.trouble'] or #now.stops > 0) then
    local trouble = require('lazydap.trouble')
    if trouble.is_concerned() then
      try(trouble.update)
    end
  end
  if changed.stops and #now.stops > 0 then
    say.take_back('is running')
  end
  if changed.jump then
    local asked = now.jump and now.jump.reason == 'here' and now.jump.path and buffers.of_path(now.jump.path)
    if asked then
      try(marks.point_again, asked, options)
    end
    try(cursor.follow, now.jump, now.follow ~= false)
  end
  if changed.values then
    try(each_buffer, values.draw, options)
  end
  if changed.lists then
    try(lists.update, now.lists, options)
  elseif changed.breakpoints then
    try(lists.refresh)
  end
  if changed.panes and (next(now.panes) or package.loaded['lazydap.panes']) then
    try(require('lazydap.panes').update, now.panes)
  end
  if changed.projects or changed.follow then
    try(keys.update, now.follow ~= false and #state.live() > 0, options)
  end
  if changed.stops or changed.projects then
    try(origin.update)
  end
  local is_on_terminal = function(project)
    return project.terminal == true
  end
  if changed.projects and vim.iter(now.projects):any(is_on_terminal) then
    try(require('lazydap.terminal').update)
  end
  if options.ui == 'auto' then
    try(require('lazydap.ui').watch)
  end
  try(events.update, changed)
  return fault
end

--- Take one batch from the host and bring the editor in line with it (doc/architecture.md, "Host and editor").
--- Whatever happens, the batch is acknowledged: the host sends the next one only then.
---@param json string
function M.apply(json)
  local ok, batch = pcall(vim.json.decode, json, { luanil = { object = true, array = true } })
  if not ok or type(batch) ~= 'table' then
    say.say('the plugin host sent something that is no batch; :LazydapLog', 'error')
    return
  end
  highlights.ensure()
  watch()
  local fault = draw(state.take(batch))
  require('lazydap.host').acknowledge(batch.generation)
  if fault then
    say.say('drawing failed: ' .. fault, 'error')
  end
end

--- Say one line for the host.
---@param line string
---@param level? 'info'|'warn'|'error'
function M.message(line, level)
  say.say(line, level)
end

--- Let the person choose one of several things for the host; its answer is the verb `chosen`.
---@param json string `{"token":…,"title":…,"items":[text, …]}`
function M.choose(json)
  local question = vim.json.decode(json, { luanil = { object = true, array = true } })
  require('lazydap.moment').when_free('choose', function()
    vim.ui.select(question.items, { prompt = question.title }, function(_, index)
      require('lazydap.host').send({ verb = 'chosen', token = question.token, index = index })
    end)
  end)
end

--- See to changed files before the host starts a program; its answer is the verb `chosen`, 1 to go on.
---@param token integer
function M.save(token)
  require('lazydap.launching').save_first(function(done)
    require('lazydap.host').send({ verb = 'chosen', token = token, index = done and 1 or nil })
  end)
end

--- Write a piece of the program's output into its pane.
---@param json string
function M.print(json)
  require('lazydap.output').take(json)
end

--- Answer an entry of the console, or complete one.
---@param json string
function M.answer(json)
  require('lazydap.console').answer(json)
end

--- Let the person type a text for the host; its answer is the verb `answered`.
---@param json string `{"token":…,"prompt":…,"default":…}`
function M.ask(json)
  local question = vim.json.decode(json)
  require('lazydap.moment').when_free('choose', function()
    vim.ui.input({ prompt = question.prompt, default = question.default }, function(text)
      require('lazydap.host').send({ verb = 'answered', token = question.token, text = text })
    end)
  end)
end

--- Show what a build printed: a quickfix list, whose errors are places.
---@param json string `{"title":…,"cwd":…,"lines":[text, …]}`
function M.list_lines(json)
  local listed = vim.json.decode(json)
  -- Errors name files from the folder where the build ran, which 'errorformat' is told as `make` tells it.
  table.insert(listed.lines, 1, ("make: Entering directory '%s'"):format(listed.cwd))
  vim.fn.setqflist({}, ' ', { title = listed.title, lines = listed.lines })
  require('lazydap.moment').when_free('list lines', function()
    vim.cmd('botright copen')
  end)
end

--- Put what the host has taken away into the command history, as far as it was more than a place.
---@param json string `[{"path":…,"line":…} or {"func":…}, with their parts, …]`
function M.remember(json)
  require('lazydap.breaking').remember(vim.json.decode(json, { luanil = { object = true } }))
end

--- Draw the values anew: an option that concerns them has changed.
function M.values()
  each_buffer(values.draw, config.get())
end

--- The host is gone: no arrow and no value stays that nobody vouches for.
function M.lose_host()
  state.lose_host()
  cursor.lose_host()
  lists.lose_host()
  if package.loaded['lazydap.trouble'] then
    require('lazydap.trouble').update()
  end
  if package.loaded['lazydap.texts'] then
    require('lazydap.texts').update()
  end
  if package.loaded['lazydap.panes'] then
    require('lazydap.panes').lose_host()
  end
  local options = config.get()
  each_buffer(marks.draw, options)
  each_buffer(values.draw, options)
  keys.update(false, options)
end

return M
