(call
  function: [
    (identifier) @call
    (namespace_operator rhs: (identifier) @call)
    (extract_operator rhs: (identifier) @call)
  ])
