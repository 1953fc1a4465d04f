[(function_declaration) (method_declaration) (func_literal)] @scope.function
[
  (block)
  (if_statement)
  (for_statement)
  (expression_switch_statement)
  (type_switch_statement)
  (select_statement)
  (expression_case)
  (default_case)
  (type_case)
  (communication_case)
  (function_type)
  (method_elem)
  (type_spec)
] @scope

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local)) @declaration
(var_spec name: (identifier) @local) @declaration
(const_spec name: (identifier) @local) @declaration
(range_clause left: (expression_list (identifier) @local)) @declaration
(receive_statement left: (expression_list (identifier) @local)) @declaration
(type_switch_statement alias: (expression_list (identifier) @local))

(import_spec name: (package_identifier) @alias)
(keyed_element . (literal_element (identifier) @member))
(label_name) @member
