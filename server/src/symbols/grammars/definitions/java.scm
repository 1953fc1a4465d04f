(package_declaration [(scoped_identifier) (identifier)] @name) @package
(import_declaration [(scoped_identifier) (identifier)] @import)

(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @enumMember
(module_declaration name: (_) @name) @module

(method_declaration name: (identifier) @name) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor

(field_declaration declarator: (variable_declarator name: (identifier) @name) @field)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @constant)
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
