[
  (function_definition)
  (method_declaration)
  (anonymous_function)
] @scope.closed
(arrow_function) @scope.function
(declaration_list) @scope.closed

(simple_parameter name: (variable_name (name) @local))
(variadic_parameter name: (variable_name (name) @local))
(property_promotion_parameter name: (variable_name (name) @local))
; There are no declarations: any mention declares a variable.
((variable_name (name) @local.assigned) (#not-match? @local.assigned "^(this|GLOBALS|_[A-Z]+)$"))

(global_declaration (variable_name (name) @elsewhere))
(anonymous_function_use_clause (variable_name (name) @elsewhere))
(anonymous_function_use_clause (by_ref (variable_name (name) @elsewhere)))

(member_access_expression name: (name) @member)
(nullsafe_member_access_expression name: (name) @member)
(member_call_expression name: (name) @member)
(nullsafe_member_call_expression name: (name) @member)
(scoped_call_expression name: (name) @member)
(scoped_property_access_expression name: (variable_name (name) @member))
(class_constant_access_expression (_) (name) @member)
(argument name: (name) @member)
(goto_statement (name) @member)
(named_label_statement (name) @member)
