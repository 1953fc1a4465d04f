; A body follows its head in the tree, and is not part of it.
(program (function_signature) @head . (function_body) @scope.function)
(program (setter_signature) @head . (function_body) @scope.function)
(class_body (method_signature) @head . (function_body) @scope.function)
(extension_body (method_signature) @head . (function_body) @scope.function)
(enum_body (method_signature) @head . (function_body) @scope.function)
(try_statement (catch_clause) @head . (block) @scope)
[
  (function_expression)
  (lambda_expression)
] @scope.function
[
  (class_definition)
  (mixin_declaration)
  (extension_declaration)
  (type_alias)
  (function_type)
  (declaration)
  (block)
  (if_statement)
  (for_statement)
  (for_element)
  (switch_statement_case)
  (switch_expression_case)
] @scope

(formal_parameter name: (identifier) @local)
(formal_parameter . (identifier) @local .)
(typed_identifier (identifier) @local)
(type_parameter (type_identifier) @local)
(initialized_variable_definition name: (identifier) @local)
(initialized_variable_definition (initialized_identifier . (identifier) @local))
(for_loop_parts name: (identifier) @local value: (_) @declaration)
(catch_parameters (identifier) @local)
(variable_pattern (identifier) @local)
(pattern_variable_declaration (_ (constant_pattern (identifier) @local))) @declaration
(pattern_variable_declaration (_ (_ (constant_pattern (identifier) @local)))) @declaration
(for_loop_parts (_ (constant_pattern (identifier) @local)) value: (_) @declaration)
(local_function_declaration
  (lambda_expression parameters: (function_signature name: (identifier) @local.outer)))

(import_specification "as" . (identifier) @alias)
(unconditional_assignable_selector (identifier) @member)
(conditional_assignable_selector (identifier) @member)
(cascade_selector (identifier) @member)
(dot_shorthand (identifier) @member)
(label (identifier) @member)
(constructor_param (identifier) @member)
(super_formal_parameter (identifier) @member)
(field_initializer . (identifier) @global)
(object_pattern (identifier) @member)
(record_pattern (identifier) @member)
(qualified (_) (identifier) @member)
