; Shared by JavaScript and TypeScript.
[
  (function_declaration)
  (generator_function_declaration)
  (function_expression)
  (generator_function)
  (arrow_function)
  (method_definition)
  (class_static_block)
] @scope.function
[
  (statement_block)
  (for_statement)
  (for_in_statement)
  (catch_clause)
  (switch_body)
  (class_declaration)
  (class)
] @scope

(function_declaration name: (identifier) @local.outer)
(generator_function_declaration name: (identifier) @local.outer)
(function_expression name: (identifier) @local)
(generator_function name: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(lexical_declaration (variable_declarator name: (identifier) @local))
(variable_declaration (variable_declarator name: (identifier) @local.hoisted))
(for_in_statement kind: "var" left: (identifier) @local.hoisted)
(for_in_statement kind: ["let" "const"] left: (identifier) @local)

; Patterns of parameters and declarations.
(shorthand_property_identifier_pattern) @local
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(pair_pattern value: (identifier) @local)
(pair_pattern value: (assignment_pattern left: (identifier) @local))
(array_pattern (identifier) @local)
(array_pattern (assignment_pattern left: (identifier) @local))
(rest_pattern (identifier) @local)

; The other name belongs to the other module.
(import_specifier name: (_) @member alias: (identifier) @alias)
(namespace_import (identifier) @alias)
(labeled_statement label: (_) @member)
(break_statement label: (_) @member)
(continue_statement label: (_) @member)
