(command_name (word) @call)
