(import_specification (configurable_uri (uri (string_literal) @import)))

(class_definition name: (identifier) @name) @class
(mixin_declaration (identifier) @name) @class
(extension_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @enumMember
(type_alias . (type_identifier) @name) @type
(function_signature name: (identifier) @name) @function
(getter_signature name: (identifier) @name) @property
(setter_signature name: (identifier) @name) @property
(constructor_signature name: (identifier) @name . parameters: (_)) @constructor
(factory_constructor_signature (identifier) @name . (formal_parameter_list)) @constructor
(constant_constructor_signature (identifier) @name . (formal_parameter_list)) @constructor
(redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list)) @constructor
(operator_signature "operator" . _ @name (#not-match? @name "^[(]")) @operator
(extension_type_declaration name: (identifier) @name) @class
(representation_declaration name: (identifier) @name) @field
(declaration (initialized_identifier_list (initialized_identifier (identifier) @name @field)))
(declaration (static_final_declaration_list (static_final_declaration (identifier) @name @field)))
(program (static_final_declaration_list (static_final_declaration (identifier) @name @constant)))
(program (initialized_identifier_list (initialized_identifier (identifier) @name @variable)))
(function_body) @block
