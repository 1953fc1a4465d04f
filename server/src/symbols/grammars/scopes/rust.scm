[(function_item) (function_signature_item) (closure_expression)] @scope.function
[
  (block)
  (if_expression)
  (while_expression)
  (for_expression)
  (match_arm)
  (impl_item)
  (trait_item)
  (struct_item)
  (enum_item)
  (type_item)
] @scope

(parameter pattern: (_) @local.pattern)
(closure_parameters (_) @local.pattern)
(let_declaration pattern: (_) @local.pattern) @declaration
(let_condition pattern: (_) @local.pattern) @declaration
(for_expression pattern: (_) @local.pattern)
(match_pattern . (_) @local.pattern)
(self_parameter (self) @member)
(const_item name: (identifier) @local)
(type_parameter name: (type_identifier) @local)
(const_parameter name: (identifier) @local)

(use_as_clause alias: (identifier) @alias)
(scoped_identifier path: (_) name: (identifier) @member)
(scoped_type_identifier path: (_) name: (type_identifier) @member)
(field_initializer field: (field_identifier) @member)
