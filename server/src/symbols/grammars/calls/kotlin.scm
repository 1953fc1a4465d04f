(call_expression . [(identifier) @call (navigation_expression (identifier) @call .)])
