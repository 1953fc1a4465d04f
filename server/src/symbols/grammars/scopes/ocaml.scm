[
  (let_expression)
  (let_binding)
  (fun_expression)
  (match_case)
  (for_expression)
  (class_binding)
  (class_function)
  (method_definition)
  (object_expression)
] @scope.function
; The name of a binding is visible around it; its parameters, inside.
(let_binding pattern: (_) @scope.outside)

(parameter pattern: (_) @local.pattern) @declaration
(match_case pattern: (_) @local.pattern)
(for_expression name: (value_pattern) @local to: (_) @declaration)
(object_expression self: (value_pattern) @local)
(let_expression (value_definition (let_binding pattern: (_) @local.pattern)) @declaration)
(let_expression (value_definition "rec" (let_binding pattern: (value_name) @local.hoisted)))

; `{ name; _ }` declares a local, and references the field.
(field_pattern . (field_path (field_name) @global) .)
(field_pattern (field_path (field_name) @member) pattern: (_))
(field_expression (field_path (field_name) @member))
(field_get_expression field: (field_path (field_name) @member))
(method_name) @member
(instance_variable_name) @global
(value_path (module_path) (value_name) @member)
(labeled_argument (label_name) @member . (_))
(parameter (label_name) @member . (_))
[(type_constructor) (class_name) (class_type_name) (module_name) (module_type_name)] @global
(type_variable) @scope @local.marked
