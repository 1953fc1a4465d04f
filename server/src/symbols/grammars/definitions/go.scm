(package_clause (package_identifier) @name) @package
(import_spec path: (_) @import)

(function_declaration name: (identifier) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @method

(type_spec name: (type_identifier) @name) @type
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_alias name: (type_identifier) @name) @type

; An embedded field has the name of its type.
(field_declaration name: (field_identifier) @name) @field
(field_declaration !name type: (type_identifier) @name) @field
(field_declaration !name type: (qualified_type name: (type_identifier) @name)) @field
(field_declaration !name type: (generic_type type: (type_identifier) @name)) @field
(field_declaration !name type: (generic_type type: (qualified_type name: (type_identifier) @name))) @field
(field_declaration !name type: (pointer_type (type_identifier) @name)) @field
(field_declaration !name type: (pointer_type (qualified_type name: (type_identifier) @name))) @field
(field_declaration !name type: (pointer_type (generic_type type: (type_identifier) @name))) @field
(method_elem name: (field_identifier) @name) @method

; Without the field name, which would match only the first of `a, b = 1, 2`.
(source_file (const_declaration (const_spec (identifier) @name) @constant))
(source_file (var_declaration (var_spec (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @variable)))

(func_literal body: (_) @block)
