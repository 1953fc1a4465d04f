[
  (function_definition)
  (function_declaration)
  (lambda_expression)
  (given_definition)
] @scope.function
[
  (class_definition)
  (trait_definition)
  (enum_definition)
  (full_enum_case)
  (type_definition)
  (extension_definition)
  (template_body)
  (block)
  (indented_block)
  (for_expression)
  (case_clause)
] @scope

(parameter name: (identifier) @local)
(class_parameter name: (identifier) @local)
(binding name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(block (val_definition pattern: (identifier) @local))
(block (var_definition pattern: (identifier) @local))
(indented_block (val_definition pattern: (identifier) @local))
(indented_block (var_definition pattern: (identifier) @local))
(enumerator . (identifier) @local) @declaration

; Patterns. A capitalized name in one is a reference.
((case_clause pattern: (identifier) @local) (#match? @local "^[a-z_]"))
((case_class_pattern pattern: (identifier) @local) (#match? @local "^[a-z_]"))
((tuple_pattern (identifier) @local) (#match? @local "^[a-z_]"))
((infix_pattern left: (identifier) @local) (#match? @local "^[a-z_]"))
((infix_pattern right: (identifier) @local) (#match? @local "^[a-z_]"))
(typed_pattern pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)

(arrow_renamed_identifier name: (identifier) @member alias: (identifier) @alias)
(as_renamed_identifier name: (identifier) @member alias: (identifier) @alias)
(field_expression field: (identifier) @member)
(infix_expression operator: (identifier) @member)
(arguments (assignment_expression left: (identifier) @member))
