(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(class_declaration name: (identifier) @local.outer)
(class name: (identifier) @local)
