--- Run by plugin managers after an install or update (lazy.nvim by itself; others: `:luafile build.lua`): makes the
--- private Python environment, or brings it up to date. Returns when that is done.

local root = vim.fs.dirname(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)))
-- A plugin manager may run this before the plugin is on the runtimepath.
if not vim.tbl_contains(vim.opt.runtimepath:get(), root) then
  vim.opt.runtimepath:prepend(root)
end

---@param line string
local function tell(line)
  if coroutine.running() then
    coroutine.yield(line) -- lazy.nvim shows what a build yields
  else
    vim.api.nvim_echo({ { 'lazydap: ' .. line } }, true, {})
    vim.cmd.redraw()
  end
end

local fault = require('lazydap.install').run(tell)
if fault then
  error('lazydap: ' .. fault, 0)
end
