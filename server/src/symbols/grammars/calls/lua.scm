(function_call
  name: [
    (identifier) @call
    (dot_index_expression field: (identifier) @call)
    (method_index_expression method: (identifier) @call)
  ])
