--- Owns the highlight groups and their default links.

local M = {}

---@type {name: string, link: string, help: string}[]
M.groups = {
  { name = 'LazydapBreakpoint', link = 'DiagnosticSignInfo', help = 'breakpoint, nothing running' },
  { name = 'LazydapBreakpointVerified', link = 'DiagnosticSignOk', help = 'bound by the adapter' },
  { name = 'LazydapBreakpointPending', link = 'DiagnosticSignHint', help = 'not yet bound in a live session' },
  { name = 'LazydapBreakpointMoved', link = 'DiagnosticSignWarn', help = 'bound at another line, or lost' },
  { name = 'LazydapBreakpointRejected', link = 'DiagnosticSignError', help = 'refused by the adapter' },
  { name = 'LazydapBreakpointDisabled', link = 'Comment', help = 'disabled' },
  { name = 'LazydapStopped', link = 'DiagnosticSignWarn', help = 'sign of the stop' },
  { name = 'LazydapStoppedLine', link = 'DiffAdd', help = 'line of the stop' },
  { name = 'LazydapFrame', link = 'DiagnosticSignHint', help = 'sign of the chosen outer frame' },
  { name = 'LazydapValue', link = 'Comment', help = 'inline value' },
  { name = 'LazydapValueChanged', link = 'DiagnosticVirtualTextWarn', help = 'inline value that changed' },
  { name = 'LazydapTreeHeading', link = 'Title', help = 'scope or group in a pane' },
  { name = 'LazydapTreeName', link = 'Identifier', help = 'name in a pane' },
  { name = 'LazydapTreeValue', link = 'String', help = 'value in a pane' },
  { name = 'LazydapTreeType', link = 'Type', help = 'type in a pane' },
  { name = 'LazydapTreeError', link = 'DiagnosticError', help = 'what an adapter says in place of a value' },
  { name = 'LazydapTreeNote', link = 'Comment', help = 'remark in a pane' },
  { name = 'LazydapConsoleAsked', link = 'Question', help = 'mark before what was asked in the console' },
  { name = 'LazydapOutputError', link = 'DiagnosticError', help = 'what the program wrote to stderr, without colour' },
  { name = 'LazydapOutputNote', link = 'Comment', help = 'what the adapter, or lazydap itself, says there' },
  { name = 'LazydapValueStale', link = 'NonText', help = 'inline value of an earlier stop' },
}

local function define()
  for _, group in ipairs(M.groups) do
    vim.api.nvim_set_hl(0, group.name, { default = true, link = group.link })
  end
end

local is_ready = false

--- Define the groups that nobody has defined, now and after each change of the colour scheme.
function M.ensure()
  if is_ready then
    return
  end
  is_ready = true
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('lazydap_highlights', {}),
    callback = define,
  })
end

return M
