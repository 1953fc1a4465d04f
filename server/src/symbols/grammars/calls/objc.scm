(message_expression method: (identifier) @call)
