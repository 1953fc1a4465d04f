(function_definition) @scope.function
; Their code runs where its variables are for itself alone.
(call function: (identifier) @_local (#any-of? @_local "local" "test_that")) @scope.function

(parameter name: (identifier) @local)
(binary_operator lhs: (identifier) @local operator: ["<-" "="]) @declaration
(binary_operator operator: "->" rhs: (identifier) @local) @declaration
(for_statement variable: (identifier) @local sequence: (_) @declaration)

; A call looks for a function, and passes variables that are none. Whether they are, nobody can tell.
(call function: (identifier) @global)
(namespace_operator lhs: (identifier) @global)
(namespace_operator rhs: (identifier) @member)
(extract_operator rhs: (identifier) @member)
(argument name: (identifier) @member)
