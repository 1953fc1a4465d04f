(call_expression . [(identifier) @call (field_expression (identifier) @call .)])
(macrocall_expression (macro_identifier (identifier) @call))
