(import (qualified_identifier) @import)

(package_header (qualified_identifier) @name) @package
(class_declaration name: (identifier) @name) @class
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @enum
(object_declaration name: (identifier) @name) @class
(companion_object name: (identifier) @name) @class
(type_alias type: (identifier) @name) @type
(enum_entry (identifier) @name) @enumMember
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @constructor
(class_parameter ["val" "var"] (identifier) @name) @property
(class_body (property_declaration (variable_declaration (identifier) @name)) @property)
(source_file (property_declaration "val" (variable_declaration (identifier) @name)) @constant)
(source_file (property_declaration "var" (variable_declaration (identifier) @name)) @variable)
