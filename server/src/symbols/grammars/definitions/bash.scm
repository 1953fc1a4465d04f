(command
  name: (command_name) @_source (#any-of? @_source "source" ".")
  argument: [(word) (string) (raw_string)] @import)

(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @variable))
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
(program
  (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @constant))
