; Bindings of a condition are not visible after `else`.
(if_statement (else) . (statements) @scope.outside)
(if_statement (else) . (if_statement) @scope.outside)
[
  (function_declaration)
  (init_declaration)
  (subscript_declaration)
  (protocol_function_declaration)
  (computed_setter)
  (willset_clause)
  (didset_clause)
  (lambda_literal)
] @scope.function
[
  (class_declaration)
  (protocol_declaration)
  (typealias_declaration)
  (statements)
  (if_statement)
  (while_statement)
  (for_statement)
  (catch_block)
  (switch_entry)
] @scope

(parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(capture_list_item name: (simple_identifier) @local . "=")
(capture_list_item name: (simple_identifier) @elsewhere .)
(computed_setter (simple_identifier) @local)
(willset_clause (simple_identifier) @local)
(didset_clause (simple_identifier) @local)
(type_parameter . (type_identifier) @local)

(statements (property_declaration name: (pattern bound_identifier: (simple_identifier) @local)) @declaration)
(statements (property_declaration name: (pattern (pattern . (simple_identifier) @local .))) @declaration)
(statements (property_declaration name: (pattern (pattern (pattern . (simple_identifier) @local .)))) @declaration)
(for_statement item: (pattern bound_identifier: (simple_identifier) @local) collection: (_) @declaration)
(for_statement item: (pattern . (pattern . (simple_identifier) @local .)) collection: (_) @declaration)
(for_statement item: (pattern (pattern) (pattern . (simple_identifier) @local .)) collection: (_) @declaration)

; `if let name = value`, or without a value.
(_ (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . condition: (_) @declaration)
(_
  (value_binding_pattern) . bound_identifier: (simple_identifier) @local . (type_annotation) . "=" .
  condition: (_) @declaration)
(_ (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "?" . "=" . condition: (_) @declaration)
(_ (value_binding_pattern) . bound_identifier: (simple_identifier) @local . ",")
(_ (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "{")
(guard_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . (else))
(_ (value_binding_pattern) . "(" . (pattern . (simple_identifier) @local .))
(_ (value_binding_pattern) . "(" . (pattern) . "," . (pattern . (simple_identifier) @local .))
(_ (value_binding_pattern) . "." . (simple_identifier) . "(" . (pattern . (simple_identifier) @local .))
(_
  (value_binding_pattern) . "." . (simple_identifier) . "(" . (pattern) . "," .
  (pattern . (simple_identifier) @local .))

(pattern (value_binding_pattern) bound_identifier: (simple_identifier) @local)
(pattern (value_binding_pattern) (pattern bound_identifier: (simple_identifier) @local))
(pattern (value_binding_pattern) (pattern . (simple_identifier) @local))
(pattern (value_binding_pattern) (pattern (pattern . (simple_identifier) @local)))
(pattern "." . (simple_identifier) @member)
(pattern (simple_identifier) @member . ":")

(parameter external_name: (simple_identifier) @member)
(value_argument_label (simple_identifier) @member)
(navigation_suffix suffix: (simple_identifier) @member)
(enum_type_parameters (simple_identifier) @member)
(tuple_type_item name: (simple_identifier) @member)
(prefix_expression "." (simple_identifier) @member)
