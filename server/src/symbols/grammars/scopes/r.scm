(function_definition) @scope.function
; Their code runs in a scope of its own.
(call function: (identifier) @_local (#any-of? @_local "local" "test_that")) @scope.function

(parameter name: (identifier) @local)
(binary_operator lhs: (identifier) @local operator: ["<-" "="]) @declaration
(binary_operator operator: "->" rhs: (identifier) @local) @declaration
(for_statement variable: (identifier) @local sequence: (_) @declaration)

; A call skips variables that are not functions, which cannot be known here.
(call function: (identifier) @global)
(namespace_operator lhs: (identifier) @global)
(namespace_operator rhs: (identifier) @member)
(extract_operator rhs: (identifier) @member)
(argument name: (identifier) @member)
