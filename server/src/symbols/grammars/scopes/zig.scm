[(function_declaration) (function_signature)] @scope.function
[
  (block)
  (if_statement)
  (if_expression)
  (while_statement)
  (while_expression)
  (for_statement)
  (for_expression)
  (else_clause)
  (catch_expression)
  (errdefer_statement)
  (switch_case)
] @scope

(parameter name: (identifier) @local)
(payload (identifier) @local)
(block (variable_declaration ["const" "var"] . (identifier) @local) @declaration)

(field_expression member: (identifier) @member)
(error_type (identifier) @member)
(error_set_declaration (identifier) @member)
(block_label (identifier) @member)
(break_label (identifier) @member)
