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
(constructor_signature . name: (identifier) @name) @constructor
(factory_constructor_signature (identifier) @name .) @constructor
(declaration (initialized_identifier_list (initialized_identifier (identifier) @name @field)))
(declaration (static_final_declaration_list (static_final_declaration (identifier) @name @field)))
(program (static_final_declaration_list (static_final_declaration (identifier) @name @constant)))
(program (initialized_identifier_list (initialized_identifier (identifier) @name @variable)))
(function_body) @block
