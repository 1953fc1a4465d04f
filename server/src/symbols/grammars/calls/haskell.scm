(apply function: [(variable) @call (qualified id: (variable) @call)])
