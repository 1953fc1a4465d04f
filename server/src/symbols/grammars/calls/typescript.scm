(call_expression
  function: (non_null_expression
    [
      (identifier) @call
      (member_expression property: [(property_identifier) (private_property_identifier)] @call)
    ]))
