; Constructor parameters are visible in initializers, but not in members.
(class_declaration (class_body (function_declaration) @scope.outside))
(class_declaration (class_body (class_declaration) @scope.outside))
(class_declaration (class_body (object_declaration) @scope.outside))
(class_declaration (class_body (companion_object) @scope.outside))
(class_declaration (class_body (secondary_constructor) @scope.outside))
(class_declaration (class_body (property_declaration (getter) @scope.outside)))
(class_declaration (class_body (property_declaration (setter) @scope.outside)))
[
  (function_declaration)
  (anonymous_function)
  (lambda_literal)
  (secondary_constructor)
  (getter)
  (setter)
] @scope.function
[
  (class_declaration)
  (object_declaration)
  (companion_object)
  (type_alias)
  (function_type)
  (block)
  (for_statement)
  (catch_block)
  (when_expression)
] @scope

(parameter . (identifier) @local)
(class_parameter (identifier) @local)
(setter (identifier) @local)
(lambda_parameters (variable_declaration . (identifier) @local))
(lambda_parameters (multi_variable_declaration (variable_declaration . (identifier) @local)))
(block (property_declaration (variable_declaration . (identifier) @local)) @declaration)
(block (property_declaration (multi_variable_declaration (variable_declaration . (identifier) @local))) @declaration)
(lambda_literal (property_declaration (variable_declaration . (identifier) @local)) @declaration)
(lambda_literal
  (property_declaration (multi_variable_declaration (variable_declaration . (identifier) @local))) @declaration)
(for_statement (variable_declaration . (identifier) @local) "in" . (_) @declaration)
(for_statement
  (multi_variable_declaration (variable_declaration . (identifier) @local)) "in" . (_) @declaration)
(catch_block . (identifier) @local)
(when_subject (variable_declaration . (identifier) @local)) @declaration
(type_parameter (identifier) @local)
(parameter . (identifier) @value . [(user_type) (nullable_type)])
(class_parameter (identifier) @value . [(user_type) (nullable_type)])
(variable_declaration . (identifier) @value . [(user_type) (nullable_type)])

(import (identifier) @alias)
(navigation_expression (_) . (identifier) @member .)
(value_argument . (identifier) @member . "=")
(infix_expression (_) . (identifier) @global . (_))
(return_expression label: (identifier) @member)
(labeled_expression (label) (identifier) @member)
