(call_expression
  function: [
    (identifier) @call
    (field_expression field: (field_identifier) @call)
    (scoped_identifier name: (identifier) @call)
    (generic_function
      function: [
        (identifier) @call
        (field_expression field: (field_identifier) @call)
        (scoped_identifier name: (identifier) @call)
      ])
  ])
(macro_invocation macro: [(identifier) @call (scoped_identifier name: (identifier) @call)])
; Arguments of macros are not parsed.
(token_tree (identifier) @call . (token_tree . "("))
