(import_declaration (identifier) @import)

(class_declaration "class" name: (type_identifier) @name) @class
(class_declaration "actor" name: (type_identifier) @name) @class
(class_declaration "struct" name: (type_identifier) @name) @struct
(class_declaration "enum" name: (type_identifier) @name) @enum
(class_declaration "extension" name: (user_type (type_identifier) @name)) @scope
(protocol_declaration name: (type_identifier) @name) @interface
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(enum_entry name: (simple_identifier) @name) @enumMember
(function_declaration "func" . name: _ @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration name: "init" @name) @constructor
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @property
(subscript_declaration "subscript" @name) @method
(deinit_declaration "deinit" @name) @method
