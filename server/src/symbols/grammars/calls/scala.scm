(call_expression
  function: [
    (identifier) @call
    (field_expression field: (identifier) @call)
    (generic_function function: [(identifier) @call (field_expression field: (identifier) @call)])
  ])
(instance_expression [(type_identifier) @call (generic_type type: (type_identifier) @call)])
