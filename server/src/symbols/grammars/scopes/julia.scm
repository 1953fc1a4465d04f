[
  (function_definition)
  (macro_definition)
  (struct_definition)
  (arrow_function_expression)
  (do_clause)
  (let_statement)
  (comprehension_expression)
  (parenthesized_expression (for_clause))
  (argument_list (for_clause))
] @scope.function
(assignment . (call_expression)) @scope.function
(assignment . (where_expression)) @scope.function
(assignment . (typed_expression . (call_expression))) @scope.function
[
  (for_statement)
  (while_statement)
  (try_statement)
  (catch_clause)
  (else_clause)
  (finally_clause)
] @scope
; The iterable of the first `for`, and the values of a `let`, are evaluated in the outer scope.
(for_statement . (for_binding (_) (operator) (_) @scope.outside))
(_ . (_) . (for_clause . (for_binding (_) (operator) (_) @scope.outside)))
(let_binding (_) (operator) (_) @scope.outside)

(signature . (argument_list) @local.names)
(signature . (call_expression (argument_list) @local.names))
(signature . (_ . (call_expression (argument_list) @local.names)))
(signature . (_ . (_ . (call_expression (argument_list) @local.names))))
(signature . (call_expression . (parenthesized_expression . (typed_expression) @local.names)))
(assignment . (call_expression (argument_list) @local.names))
(assignment . (where_expression . (call_expression (argument_list) @local.names)))
(assignment . (where_expression . (_ . (call_expression (argument_list) @local.names))))
(assignment . (typed_expression . (call_expression (argument_list) @local.names)))
(arrow_function_expression . (_) @local.names)
(do_clause . (argument_list) @local.names)
(where_expression (_) (identifier) @local)
(where_expression (curly_expression (identifier) @local))
(where_expression (curly_expression (binary_expression . (identifier) @local)))
(type_head (parametrized_type_expression (curly_expression (identifier) @local)))
(type_head (parametrized_type_expression (curly_expression (binary_expression . (identifier) @local))))
(type_head
  (binary_expression . (parametrized_type_expression (curly_expression (identifier) @local))))

(for_binding . (_) @local.names)
(let_binding . (_) @local.names)
((catch_clause . (identifier) @local) @_clause (#match? @_clause "^catch[ \\t]+[^\\s;]"))
(local_statement [(identifier) (typed_expression)] @local.names)
(local_statement (assignment . (_) @local.names))
(assignment . (_) @local.assigned)
(global_statement (identifier) @elsewhere)
(global_statement (assignment . (identifier) @elsewhere))

(import_alias (_) (identifier) @alias)
(field_expression value: (_) (identifier) @member)
(named_field . (identifier) @member)
(argument_list (named_argument . (identifier) @member))
; `@info "text" name = 1`
(macro_argument_list (_) (assignment . (identifier) @member))
(quote_expression (identifier) @global)
(macro_identifier (identifier) @global)
