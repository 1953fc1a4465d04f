(import module: (module) @import)

(header module: (module) @name) @module
; A signature and the equations behind it are one.
(declarations (function name: (variable) @name) @function.part)
(declarations (bind name: (variable) @name) @function.part)
(declarations (signature name: (variable) @name) @function.part)
(class_declarations (signature name: (variable) @name) @method)
(data_type name: (name) @name) @type
(newtype name: (name) @name) @type
(type_synomym name: (name) @name) @type
(class name: (name) @name) @interface
(data_constructor (_ name: (constructor) @name)) @enumMember
(newtype_constructor name: (constructor) @name) @enumMember
(field name: (field_name (variable) @name)) @field
