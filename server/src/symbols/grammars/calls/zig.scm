(call_expression function: [(identifier) @call (field_expression member: (identifier) @call)])
