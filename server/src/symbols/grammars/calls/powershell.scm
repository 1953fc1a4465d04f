(command command_name: (command_name) @call)
(invokation_expression (member_name (simple_name) @call))
