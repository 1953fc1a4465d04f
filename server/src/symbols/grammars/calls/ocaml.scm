(application_expression function: (value_path (value_name) @call .))
