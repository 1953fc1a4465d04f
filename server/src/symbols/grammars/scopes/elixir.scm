; Bindings of a module are not visible in its functions.
(call
  target: (identifier) @_module (#any-of? @_module "defmodule" "defimpl" "defprotocol")
  (do_block) @scope.class)
(call
  target: (identifier) @_def
  (#any-of? @_def
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp" "test" "setup" "setup_all")) @scope.function
(call target: (identifier) @_for (#any-of? @_for "for" "with")) @scope
(call
  target: (_) @_other (#not-any-of? @_other "defmodule" "defimpl" "defprotocol")
  (do_block) @scope)
[
  (else_block)
  (rescue_block)
  (catch_block)
  (after_block)
  (stab_clause)
] @scope

(call
  target: (identifier) @_def
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp")
  (arguments
    . [
      (call (arguments) @local.pattern)
      (binary_operator left: (call (arguments) @local.pattern) operator: "when")
    ]))
; An operator definition: `def a <~> b`.
((call
  target: (identifier) @_def (#any-of? @_def "def" "defp" "defmacro" "defmacrop")
  (arguments . (binary_operator left: (_) @local.pattern operator: _ @_operator right: (_) @local.pattern)))
  (#not-eq? @_operator "when"))
(call
  target: (identifier) @_test (#any-of? @_test "test" "setup" "setup_all")
  (arguments) @local.pattern
  (do_block))

(anonymous_function (stab_clause left: (_) @local.pattern))
(rescue_block (stab_clause left: (_) @local.pattern))
(catch_block (stab_clause left: (_) @local.pattern))
(else_block (stab_clause left: (_) @local.pattern))
; The clauses of `cond` begin with conditions.
(call
  target: (_) @_target (#not-eq? @_target "cond")
  (do_block (stab_clause left: (_) @local.pattern)))
(binary_operator left: (_) @local.pattern operator: ["=" "<-"]) @declaration

; With arguments or after a pipe, a name is a function call.
(call target: (identifier) @global)
(binary_operator operator: "|>" right: (identifier) @global)
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @global operator: "/" right: (integer)))
(unary_operator operator: "@" operand: (identifier) @global)
(atom) @global
(dot right: (identifier) @member)
