; What JavaScript and TypeScript have in common.
(import_statement source: (_) @import)
(export_statement source: (_) @import)
(call_expression
  function: (identifier) @_require (#eq? @_require "require")
  arguments: (arguments . (string) @import))
(call_expression function: (import) arguments: (arguments . (string) @import))

(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class

(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name) @method
(method_definition name: (property_identifier) @name (#eq? @name "constructor")) @constructor
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) @owner
      property: (property_identifier) @_prototype (#eq? @_prototype "prototype"))
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (class)) @class

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)))
(program (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(program
  (export_statement
    (_ (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name @constant)))))
(program
  (export_statement
    (_ (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name @constant))))))

; `const fs = require("fs")` brings a name in and defines none.
(variable_declarator
  name: (identifier) @not
  value: (call_expression function: (identifier) @_require) (#eq? @_require "require"))

(arrow_function body: (_) @block)
(function_expression body: (_) @block)
(generator_function body: (_) @block)
