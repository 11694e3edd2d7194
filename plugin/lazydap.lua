--- Owns the commands, the <Plug> maps and the look for a state file; everything else is loaded when it is needed.

if vim.g.loaded_lazydap then
  return
end
vim.g.loaded_lazydap = true

---@param options table
local function dispatch(options)
  require('lazydap.commands').dispatch(options)
end

vim.api.nvim_create_user_command('Lazydap', dispatch, {
  desc = 'lazydap: any subcommand',
  nargs = '*',
  bang = true,
  range = true,
  -- Lines of a range may be counts here (`:50Lazydap step`), so they are not held against the length of the buffer.
  addr = 'other',
  complete = function(...)
    return require('lazydap.commands').complete_any(...)
  end,
})

---@param name string
---@param subcommand string
---@param attributes table
local function command(name, subcommand, attributes)
  attributes.desc = 'lazydap: ' .. subcommand
  if attributes.nargs then
    attributes.complete = function(...)
      return require('lazydap.commands').complete(subcommand, ...)
    end
  end
  vim.api.nvim_create_user_command('Lazydap' .. name, function(options)
    require('lazydap.commands').run(subcommand, options)
  end, attributes)
end

-- Without -bar, because `|` may stand in an expression, a text or an argument.
command('Break', 'break', { nargs = '*', bang = true, range = true })
command('BreakData', 'break-data', { nargs = '*' })
command('Launch', 'launch', { nargs = '*', bang = true })
command('Attach', 'attach', { nargs = '*' })
command('Eval', 'eval', { nargs = '*', range = true })
command('Set', 'set', { nargs = '*' })
command('Watch', 'watch', { nargs = '*', bang = true, range = true })

command('Exceptions', 'exceptions', { bar = true, bang = true, nargs = '*' })
command('Toggle', 'toggle', { bar = true, range = true })
command('Enable', 'enable', { bar = true, bang = true, range = true })
command('Disable', 'disable', { bar = true, bang = true, range = true })
command('Step', 'step', { bar = true, nargs = '?', count = 1 })
command('StepOver', 'next', { bar = true, count = 1 })
command('Next', 'next', { bar = true, count = 1 })
command('StepIn', 'step-in', { bar = true, count = 1 })
command('StepInto', 'step-in', { bar = true, count = 1 })
command('StepOut', 'step-out', { bar = true, count = 1 })
command('Up', 'up', { bar = true, count = 1 })
command('Down', 'down', { bar = true, count = 1 })
command('Thread', 'thread', { bar = true, nargs = '?' })
command('Frame', 'frame', { bar = true, nargs = '?' })
command('Log', 'log', { bar = true, nargs = '?' })
command('Install', 'install', { bar = true, nargs = '*' })
command('RunToCursor', 'run-to-cursor', { bar = true, range = true })
command('Jump', 'jump', { bar = true, range = true })
local plain = [[Restart Continue Pause Stop Disconnect Here Stack Threads Breakpoints Status
  Hover Variables Output Console UI Values]]
for name in plain:gmatch('%a+') do
  command(name, name:lower(), { bar = true })
end

---@param name string
---@param right string
---@param mode? string
local function map(name, right, mode)
  -- `vim.keymap.set` takes three times as long, and every start of Neovim pays for it.
  local options = { noremap = true, desc = 'lazydap: ' .. name }
  vim.api.nvim_set_keymap(mode or 'n', ('<Plug>(lazydap-%s)'):format(name), right, options)
end

local COUNTED = {
  step = 'step over',
  ['step-in'] = 'step in',
  ['step-out'] = 'step out',
  up = 'up',
  down = 'down',
  ['next-breakpoint'] = 'next-breakpoint',
  ['previous-breakpoint'] = 'previous-breakpoint',
}
for name, words in pairs(COUNTED) do
  map(name, ("<Cmd>execute v:count1 . 'Lazydap %s'<CR>"):format(words))
end
for name in ('Break Enable Disable Launch Stop Restart Continue Pause Here Hover Eval Watch'):gmatch('%a+') do
  map(name:lower(), ('<Cmd>Lazydap%s<CR>'):format(name))
end

map('run-to-cursor', '<Cmd>LazydapRunToCursor<CR>')
-- The marks of a selection are set when it ends.
map('eval', "<Esc><Cmd>'<,'>LazydapEval<CR>", 'x')
map('watch', "<Esc><Cmd>'<,'>LazydapWatch<CR>", 'x')

--- The state file of the project around a file; nil when there is none.
---@param path string
---@return string?
local function state_file(path)
  local folder = path:match('^(.*)/')
  while folder and folder ~= '' do
    local candidate = folder .. '/.lazydap/state.toml'
    if vim.uv.fs_stat(candidate) then
      return candidate
    end
    folder = folder:match('^(.*)/')
  end
end

--- Let the host start for a file with breakpoints.
---@param buffer integer
local function look(buffer)
  if package.loaded['lazydap.host'] and require('lazydap.host').is_running() then
    require('lazydap.opening').opened(buffer)
    return
  end
  local name = vim.api.nvim_buf_get_name(buffer)
  if name:sub(1, 1) ~= '/' or name:find('/.git/', 1, true) or vim.bo[buffer].buftype ~= '' then
    return
  end
  local file = state_file(vim.uv.fs_realpath(name) or name)
  if file then
    require('lazydap.opening').found(buffer, file)
  end
end

local function restore_panes()
  if vim.fn.bufnr('^lazydap://') > 0 or vim.fn.bufexists('lazydap://variables') == 1 then
    require('lazydap.panes').restore()
  end
end

local session_group = vim.api.nvim_create_augroup('lazydap_session', {})

vim.api.nvim_create_autocmd('BufFilePost', {
  group = session_group,
  pattern = 'lazydap://*',
  callback = function()
    -- A session file names each pane by `:file`, which tells of it on a line: two panes are a hit-enter prompt. What it
    -- changes here it puts back at its end.
    if vim.g.SessionLoad == 1 then
      vim.opt.shortmess:append('F')
    end
  end,
})

-- It comes for each buffer, some of which Neovim puts into a window for that moment only.
vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = session_group,
  callback = vim.schedule_wrap(restore_panes),
})

vim.api.nvim_create_autocmd('BufReadPost', {
  group = vim.api.nvim_create_augroup('lazydap_open', {}),
  callback = function(event)
    look(event.buf)
  end,
})

if vim.v.vim_did_enter == 1 then
  -- A plugin manager that loads this when it is first needed has let files and sessions be opened before.
  vim.iter(vim.api.nvim_list_bufs()):filter(vim.api.nvim_buf_is_loaded):each(look)
  restore_panes()
end
