(function_definition) @scope.function
[
  (compound_statement)
  (for_statement)
  (preproc_function_def)
] @scope
; Parameters of a prototype are visible only in it.
(declaration declarator: (function_declarator) @scope)
(declaration declarator: (_ (function_declarator) @scope))
(field_declaration declarator: (function_declarator) @scope)
(field_declaration declarator: (_ (function_declarator) @scope))
(type_definition declarator: (function_declarator) @scope)
(parameter_declaration declarator: (function_declarator) @scope)

(parameter_declaration declarator: (_) @local.declarator)
(compound_statement (declaration declarator: (_) @local.declarator))
(for_statement initializer: (declaration declarator: (_) @local.declarator))
(case_statement (declaration declarator: (_) @local.declarator))
(preproc_params (identifier) @local)
(labeled_statement label: (_) @member)
(goto_statement label: (_) @member)
