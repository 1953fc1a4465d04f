(import_declaration) @import.path

(package_clause name: (package_identifier) @name) @package
(class_definition name: (identifier) @name) @class
(object_definition name: (identifier) @name) @class
(trait_definition name: (identifier) @name) @trait
(enum_definition name: (identifier) @name) @enum
(simple_enum_case name: (identifier) @name) @enumMember
(full_enum_case name: (identifier) @name) @enumMember
(type_definition name: (type_identifier) @name) @type
(function_definition name: (identifier) @name) @function
(function_declaration name: (identifier) @name) @function
(val_definition pattern: (identifier) @name) @constant
(val_declaration name: (identifier) @name) @constant
(var_definition pattern: (identifier) @name) @variable
(var_declaration name: (identifier) @name) @variable
(given_definition name: (identifier) @name) @constant
(class_parameter name: (identifier) @name) @field
