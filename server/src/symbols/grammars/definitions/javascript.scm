(class_declaration name: (identifier) @name) @class
(class name: (identifier) @name) @class
(field_definition property: [(property_identifier) (private_property_identifier) (string)] @name) @field
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
; `this.x = …` in a constructor is the only declaration of a field.
(class_body
  (method_definition
    name: (property_identifier) @_constructor (#eq? @_constructor "constructor")
    body: (statement_block
      (expression_statement
        (assignment_expression left: (member_expression object: (this) property: (property_identifier) @name))) @field.outer)))
