(method_definition) @scope.function
(block_literal) @scope.function
[
  (method_declaration)
  (method_type)
  (catch_clause)
] @scope

(method_parameter (identifier) @local .)
(for_statement type: (_) . (identifier) @local)
(for_statement type: (_) . (pointer_declarator) @local.declarator)
(catch_clause (type_name (pointer_declarator declarator: (identifier) @local)))

(message_expression method: (identifier) @member)
(selector_expression (identifier) @member)
(method_definition (identifier) @member)
(method_declaration (identifier) @member)
(property_attribute (identifier) @member)
