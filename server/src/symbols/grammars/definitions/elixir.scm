(call
  target: (identifier) @_import (#any-of? @_import "alias" "import" "require" "use")
  (arguments . (alias) @import))

(call
  target: (identifier) @_module (#any-of? @_module "defmodule" "defimpl")
  (arguments . (alias) @name)) @module
(call
  target: (identifier) @_protocol (#eq? @_protocol "defprotocol")
  (arguments . (alias) @name)) @interface
(call
  target: (identifier) @_def (#any-of? @_def "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp")
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
      (binary_operator operator: _ @name)
    ])
  (#not-eq? @name "when")) @function
(call
  target: (identifier) @_macro (#any-of? @_macro "defmacro" "defmacrop")
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator operator: _ @name)
    ])
  (#not-eq? @name "when")) @macro
(call
  target: (identifier) @_struct (#any-of? @_struct "defstruct" "defexception")
  (arguments
    . [
      (list [(atom) @name @field (keywords (pair key: (keyword) @name @field))])
      (keywords (pair key: (keyword) @name @field))
    ]))
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type (#any-of? @_type "type" "typep" "opaque")
    (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback (#any-of? @_callback "callback" "macrocallback")
    (arguments (binary_operator left: (call target: (identifier) @name))))) @method
