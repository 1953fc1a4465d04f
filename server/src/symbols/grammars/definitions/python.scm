(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(function_definition name: (identifier) @name (#eq? @name "__init__")) @function
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @type

(expression_statement (assignment left: (identifier) @name) @variable)
(expression_statement (assignment left: (pattern_list (identifier) @name @variable)))
(expression_statement (assignment left: (tuple_pattern (identifier) @name @variable)))
(expression_statement (assignment right: (assignment left: (identifier) @name) @variable))

; Assignments to `self` in a constructor define fields.
(class_definition
  body: (block
    (function_definition
      name: (identifier) @_constructor (#eq? @_constructor "__init__")
      body: (block
        (expression_statement
          (assignment
            left: [
              (attribute object: (identifier) @_self attribute: (identifier) @name)
              (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @name))
              (tuple_pattern (attribute object: (identifier) @_self attribute: (identifier) @name))
            ]
            (#eq? @_self "self"))) @field.outer))))
