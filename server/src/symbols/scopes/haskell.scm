[
  (function)
  (match)
  (lambda)
  (alternative)
  (let_in)
  (do)
  (list_comprehension)
] @scope.function
(declarations (bind) @scope.function)
(class_declarations (bind) @scope.function)
(instance_declarations (bind) @scope.function)
(local_binds (bind) @scope.function)
; What is defined counts around the definition, its parameters and its `where` in it.
(function name: (variable) @scope.outside)
(bind name: (variable) @scope.outside)
(local_binds (bind pattern: (_) @scope.outside))

(function patterns: (patterns) @local.pattern)
(function (infix) @local.pattern)
(lambda patterns: (patterns) @local.pattern)
(alternative pattern: (_) @local.pattern)
(alternative patterns: (patterns) @local.pattern)
(do statement: (bind pattern: (_) @local.pattern) @declaration)
(rec statement: (bind pattern: (_) @local.pattern) @declaration)
(pattern_guard pattern: (_) @local.pattern) @declaration

; Those of `let … in` and `where` count in all of what these belong to, those of a statement behind it.
(let_in
  binds: (local_binds
    [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)]))
(function
  binds: (local_binds
    [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)]))
(bind
  binds: (local_binds
    [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)]))
(alternative
  binds: (local_binds
    [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)]))
(let binds: (local_binds [(_ name: (variable) @local) (bind pattern: (_) @local.pattern)]))
; In front of the bar they count as well; what is gone through first is looked up around all of it.
(qualifiers (generator pattern: (_) @local.hoisted.pattern))
(qualifiers
  (let
    binds: (local_binds
      [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)])))
(qualifiers . (generator expression: (_) @scope.outside))

; `R {name}` is a local and a use of the field.
(field_pattern . (field_name (variable) @global) .)
(field_pattern field: (field_name (variable) @member) pattern: (_))
(field_update field: (field_name (variable) @member))
(projection field: (field_name (variable) @member))
(qualified id: (variable) @member)
; A type's variable is no value.
(type/variable) @scope @local
(type_params bind: (variable) @scope @local)
(quantified_variables bind: (variable) @scope @local)
