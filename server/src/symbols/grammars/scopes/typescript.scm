[
  (function_signature)
  (method_signature)
  (abstract_method_signature)
  (function_type)
  (constructor_type)
  (call_signature)
  (construct_signature)
] @scope.function
[
  (abstract_class_declaration)
  (interface_declaration)
  (type_alias_declaration)
  (conditional_type)
  (mapped_type_clause)
  (index_signature)
] @scope

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(index_signature name: (identifier) @local)
(type_parameter name: (type_identifier) @local)
(infer_type (type_identifier) @local)
(mapped_type_clause name: (type_identifier) @local)

(function_signature name: (identifier) @local.outer)
(class_declaration name: (type_identifier) @local.outer)
(abstract_class_declaration name: (type_identifier) @local.outer)
(class name: (type_identifier) @local)
(interface_declaration name: (type_identifier) @local.outer)
(type_alias_declaration name: (type_identifier) @local.outer)
(enum_declaration name: (identifier) @local)
