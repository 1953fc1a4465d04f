(namespace_use_declaration) @import.path
(include_expression (string) @import)
(include_once_expression (string) @import)
(require_expression (string) @import)
(require_once_expression (string) @import)

(namespace_definition name: (namespace_name) @name) @namespace
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @enumMember
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(method_declaration name: (name) @name (#eq? @name "__construct")) @constructor
(property_element name: (variable_name (name) @name)) @field
(property_promotion_parameter name: (variable_name (name) @name)) @field.outer
(const_element (name) @name) @constant
(function_call_expression
  function: (name) @_define (#eq? @_define "define")
  arguments: (arguments . (argument [(string) (encapsed_string)] @name))) @constant
(anonymous_function body: (_) @block)
