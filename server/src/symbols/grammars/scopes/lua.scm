[(function_declaration) (function_definition)] @scope.function
[
  (do_statement)
  (while_statement)
  (repeat_statement)
  (for_statement)
  (elseif_statement)
  (else_statement)
] @scope
(if_statement consequence: (block) @scope)

(parameters name: (identifier) @local)
(_ local_declaration: (function_declaration name: (identifier) @local.outer))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local))) @declaration
(variable_declaration (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local) @declaration
(for_generic_clause (variable_list name: (identifier) @local)) @declaration

(dot_index_expression field: (identifier) @member)
(method_index_expression method: (identifier) @member)
; The name in `[name] = 1` is an expression of the enclosing code.
((field name: (identifier) @member) @_field (#not-match? @_field "^\\["))
(attribute (identifier) @member)
(label_statement (identifier) @member)
(goto_statement (identifier) @member)
