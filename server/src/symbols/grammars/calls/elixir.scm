(call target: [(identifier) @call (dot right: (identifier) @call)])
