(call_expression
  function: (expression
    [
      (identifier) @call
      (member_expression property: (identifier) @call)
      (new_expression name: (type_name (user_defined_type (identifier) @call .)))
    ]))
(emit_statement name: (expression (identifier) @call))
