(call_expression
  function: [
    (qualified_identifier name: (identifier) @call)
    (qualified_identifier name: (qualified_identifier name: (identifier) @call))
    (qualified_identifier
      name: (qualified_identifier name: (qualified_identifier name: (identifier) @call)))
    (template_function name: (identifier) @call)
    (qualified_identifier name: (template_function name: (identifier) @call))
    (field_expression field: (template_method name: (field_identifier) @call))
  ])
(new_expression
  type: [
    (type_identifier) @call
    (qualified_identifier name: (type_identifier) @call)
    (template_type name: (type_identifier) @call)
  ])
; `F x(1);` and `F y{1};`
(declaration
  type: [
    (type_identifier) @call
    (qualified_identifier name: (type_identifier) @call)
    (template_type name: (type_identifier) @call)
  ]
  declarator: (init_declarator value: [(argument_list) (initializer_list)]))
(compound_literal_expression type: (type_identifier) @call)
