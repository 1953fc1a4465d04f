(invocation_expression
  function: [
    (identifier) @call
    (generic_name (identifier) @call)
    (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
    (conditional_access_expression
      (member_binding_expression name: [(identifier) @call (generic_name (identifier) @call)]))
  ])
(object_creation_expression
  type: [
    (identifier) @call
    (generic_name (identifier) @call)
    (qualified_name name: [(identifier) @call (generic_name (identifier) @call)])
  ])
