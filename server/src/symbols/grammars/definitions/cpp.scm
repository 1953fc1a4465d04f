(class_specifier name: (type_identifier) @name body: (_)) @class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @class
(class_specifier name: (qualified_identifier name: (_) @name) body: (_)) @class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @struct
(struct_specifier name: (qualified_identifier name: (_) @name) body: (_)) @struct
(union_specifier name: (template_type name: (type_identifier) @name) body: (_)) @union

(namespace_definition name: (namespace_identifier) @name) @namespace
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @name .)) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
(lambda_expression body: (_) @block)
; A pure virtual function has no other definition.
(field_declaration declarator: (function_declarator) @declarator default_value: (_)) @method
(field_declaration declarator: (_ (function_declarator)) @declarator default_value: (_)) @method
; `void ns::f();` in a class is parsed as a bit-field.
(field_declaration declarator: (field_identifier) @not (ERROR) (bitfield_clause))
