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
; The name of a definition is visible around it; its parameters and its `where`, inside.
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

; Bindings of `let … in` and `where` are visible in all of their expression, those of a statement after it.
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
; Generators are visible before the bar, too; the first one is evaluated in the outer scope.
(qualifiers (generator pattern: (_) @local.hoisted.pattern))
(qualifiers
  (let
    binds: (local_binds
      [(_ name: (variable) @local.hoisted) (bind pattern: (_) @local.hoisted.pattern)])))
(qualifiers . (generator expression: (_) @scope.outside))

; `R {name}` declares a local, and references the field.
(field_pattern . (field_name (variable) @global) .)
(field_pattern field: (field_name (variable) @member) pattern: (_))
(field_update field: (field_name (variable) @member))
(projection field: (field_name (variable) @member))
(qualified id: (variable) @member)
; A type variable is not a value.
(type/variable) @scope @local
(type_params bind: (variable) @scope @local)
(quantified_variables bind: (variable) @scope @local)
