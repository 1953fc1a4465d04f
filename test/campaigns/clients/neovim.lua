-- Runs the steps of the plan in Neovim with interactive commands. Loaded after the configuration.
local plan = vim.json.decode(table.concat(vim.fn.readfile(vim.env.CLIENT_PLAN), "\n"))
local results = { progress = {} }

vim.api.nvim_create_autocmd("LspProgress", {
  callback = function(event)
    table.insert(results.progress, event.data.params.value.kind)
  end,
})

local function wait_for(what, condition)
  assert(vim.wait(plan.timeLimitMs, condition, 20), "Timed out: " .. what)
end

--- Calls a function of vim.lsp.buf and returns the items that it lists.
local function list(call)
  local items
  call({ on_list = function(found) items = found.items end })
  vim.wait(2000, function() return items ~= nil end, 10)
  return vim.tbl_map(function(item)
    return { path = item.filename, line = item.lnum, text = item.text }
  end, items or {})
end

local function symbols(query)
  return list(function(options) vim.lsp.buf.workspace_symbol(query, options) end)
end

local function go_to(text)
  vim.cmd.buffer(vim.fn.bufnr(plan.file))
  vim.fn.cursor(1, 1)
  assert(vim.fn.search("\\V" .. text) > 0, "There is no " .. text)
end

local function location()
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local line = vim.api.nvim_get_current_line()
  return {
    path = vim.api.nvim_buf_get_name(0),
    line = vim.fn.line("."),
    text = line,
    name = line:sub(column + 1):match("^[%w_]+"),
    isReadOnly = vim.bo.readonly or not vim.bo.modifiable,
  }
end

local function definition(text)
  go_to(text)
  vim.lsp.buf.definition()
  vim.wait(plan.timeLimitMs, function()
    return vim.api.nvim_buf_get_name(0) ~= plan.file and vim.fn.line("$") > 1
  end, 10)
  local found = location()
  vim.cmd.buffer(vim.fn.bufnr(plan.file))
  return { found }
end

--- Goes to a definition, and from there to that of a name in the same document.
local function continued(steps)
  go_to(steps[1])
  vim.lsp.buf.definition()
  wait_for("the document", function() return vim.fn.search("\\V" .. steps[2], "cw") > 0 end)
  wait_for("its client", function() return #vim.lsp.get_clients({ bufnr = 0, name = "trawl" }) == 1 end)
  local line = vim.fn.line(".")
  vim.lsp.buf.definition()
  vim.wait(plan.timeLimitMs, function() return vim.fn.line(".") ~= line end, 10)
  return { location() }
end

local function hover(text)
  go_to(text)
  vim.lsp.buf.hover()
  local lines
  vim.wait(plan.timeLimitMs, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
        vim.api.nvim_win_close(window, true)
        return true
      end
    end
  end, 10)
  return table.concat(lines or {}, "\n")
end

local function each(keys, find)
  local found = {}
  for _, key in ipairs(keys) do found[key] = find(key) end
  return found
end

local function run()
  vim.cmd.edit(plan.file)
  wait_for("the client", function() return #vim.lsp.get_clients({ bufnr = 0, name = "trawl" }) == 1 end)
  local client = vim.lsp.get_clients({ bufnr = 0, name = "trawl" })[1]
  wait_for("indexing", function()
    for _, query in ipairs(plan.symbols) do
      if #symbols(query) == 0 then return false end
    end
    return true
  end)
  results.symbols = each(plan.symbols, symbols)
  results.definitions = each(plan.definitions, definition)
  results.hover = hover(plan.hover)
  results.outline = vim.tbl_map(
    function(item) return { text = item.text, line = item.line } end,
    list(function(options) vim.lsp.buf.document_symbol(options) end)
  )
  results.continued = continued(plan.continued)
  go_to(plan.references)
  results.references = list(function(options) vim.lsp.buf.references(nil, options) end)
  -- An empty table of Lua is [] on the wire.
  local repositories = client:request_sync("trawl/repos", {}, plan.timeLimitMs, 0)
  results.repositories = repositories and repositories.result and #repositories.result.items

  vim.api.nvim_buf_set_lines(0, 0, 0, false, plan.edit)
  results.edited = {
    symbols = each(plan.editedSymbols, symbols),
    definitions = each(plan.editedDefinitions, definition),
  }
  vim.bo.modified = false
end

local is_fine, problem = xpcall(run, debug.traceback)
if not is_fine then results.problem = problem end
vim.fn.writefile({ vim.json.encode(results) }, plan.results)
vim.cmd("quitall!")
