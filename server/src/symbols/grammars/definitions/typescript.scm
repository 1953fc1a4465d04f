(import_require_clause source: (_) @import)

(class_declaration name: (type_identifier) @name) @class
(class name: (type_identifier) @name) @class
(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body name: [(property_identifier) (string)] @name @enumMember)
(enum_assignment name: [(property_identifier) (string)] @name) @enumMember

(public_field_definition name: [(property_identifier) (private_property_identifier) (string)] @name) @field
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @field.outer
(optional_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @name) @field.outer
(interface_body (property_signature name: [(property_identifier) (string)] @name) @property)
(interface_body (method_signature name: [(property_identifier) (string)] @name) @method)
(type_alias_declaration
  value: (object_type (property_signature name: [(property_identifier) (string)] @name) @property))
(type_alias_declaration
  value: (object_type (method_signature name: [(property_identifier) (string)] @name) @method))
(class_body (method_signature name: [(property_identifier) (string)] @name) @method)
(class_body (method_signature name: (property_identifier) @name (#eq? @name "constructor")) @constructor)
(abstract_method_signature name: [(property_identifier) (string)] @name) @method
(function_signature name: (identifier) @name) @function

(internal_module name: [(identifier) (nested_identifier)] @name) @namespace
(module name: [(identifier) (nested_identifier) (string)] @name) @module
(internal_module
  body: (statement_block (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(internal_module
  body: (statement_block
    (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))))
(internal_module
  body: (statement_block
    (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable))))
(module
  body: (statement_block
    (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(ambient_declaration (statement_block (_ (variable_declarator name: (identifier) @name) @variable)))
