(import module: (module) @import)

(header module: (module) @name) @module
; A signature and its equations are one definition.
(declarations (_ name: [(variable) @name (prefix_id (operator) @name)]) @function.part)
(declarations (function (infix operator: (operator) @name)) @function.part)
(declarations
  (pattern_synonym
    [
      (signature synonym: (constructor) @name)
      (equation synonym: [(constructor) @name (apply function: (constructor) @name)])
    ]) @function.part)
(foreign_import signature: (signature name: (variable) @name)) @function
(class_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @method)
(type_family name: (name) @name) @type
(data_family name: (name) @name) @type
(gadt_constructor name: (constructor) @name) @enumMember
(gadt_constructor names: (binding_list name: (constructor) @name)) @enumMember
(data_type name: (name) @name) @type
(newtype name: (name) @name) @type
(type_synomym name: (name) @name) @type
(class name: (name) @name) @interface
(data_constructor (_ name: (constructor) @name)) @enumMember
(newtype_constructor name: (constructor) @name) @enumMember
(field name: (field_name (variable) @name)) @field
