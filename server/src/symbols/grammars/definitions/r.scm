(call
  function: (identifier) @_library (#any-of? @_library "library" "require" "source")
  arguments: (arguments . argument: (argument value: [(identifier) (string)] @import)))

(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition)) @function
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @variable)
(call
  function: (identifier) @_class (#any-of? @_class "setClass" "setRefClass")
  arguments: (arguments . argument: (argument value: (string) @name))) @class
(call
  function: (identifier) @_generic (#any-of? @_generic "setGeneric" "setMethod")
  arguments: (arguments . argument: (argument value: (string) @name))) @method
(binary_operator
  lhs: (identifier) @name
  rhs: (call function: (identifier) @_class (#any-of? @_class "R6Class" "setRefClass"))) @class
(function_definition body: (_) @block)
