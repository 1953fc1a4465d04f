(function_call
  name: (identifier) @_require (#eq? @_require "require")
  arguments: (arguments . (string) @import))

(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @function
(function_declaration name: (method_index_expression table: (_) @owner method: (identifier) @name)) @method
(assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list value: (function_definition))) @function
(assignment_statement
  (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name @variable))))
(chunk (assignment_statement (variable_list name: (identifier) @name @variable)))
; `local fs = require("fs")` is an import, not a definition.
(assignment_statement
  (variable_list . name: (identifier) @not)
  (expression_list . value: (function_call name: (identifier) @_require (#eq? @_require "require"))))
(function_definition body: (_) @block)
