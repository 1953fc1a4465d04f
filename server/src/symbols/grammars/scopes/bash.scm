(function_definition) @scope.function
[(subshell) (command_substitution) (process_substitution)] @scope

(declaration_command ["local" "declare" "typeset"] (variable_name) @local) @declaration
(declaration_command
  ["local" "declare" "typeset"]
  (variable_assignment name: (variable_name) @local)) @declaration
(declaration_command
  ["declare" "typeset"]
  (word) @_option (#match? @_option "^-[a-zA-Z]*g")
  [(variable_name) @elsewhere (variable_assignment name: (variable_name) @elsewhere)])

; Commands and their arguments, which can be names of variables: `read name`.
(word) @global
