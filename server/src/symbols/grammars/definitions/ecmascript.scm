; Shared by JavaScript and TypeScript.
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
    (_
      (variable_declarator
        name: (_
          [
            (shorthand_property_identifier_pattern) @name @constant
            (identifier) @name @constant
            (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name @constant)
            (assignment_pattern left: (identifier) @name @constant)
            (rest_pattern (identifier) @name @constant)
            (pair_pattern value: [(identifier) @name @constant (assignment_pattern left: (identifier) @name @constant)])
            (pair_pattern
              value: (_
                [
                  (shorthand_property_identifier_pattern) @name @constant
                  (identifier) @name @constant
                  (pair_pattern value: (identifier) @name @constant)
                ]))
          ])))))
(program
  (_
    (variable_declarator
      name: (array_pattern
        [
          (identifier) @name @constant
          (assignment_pattern left: (identifier) @name @constant)
          (rest_pattern (identifier) @name @constant)
        ]))))
(export_specifier alias: (identifier) @name (#not-eq? @name "default")) @constant
; An export by name only is defined elsewhere in the file.
(assignment_expression
  left: (member_expression
    object: [(identifier) @_exports (member_expression property: (property_identifier) @_exports)]
    property: (property_identifier) @name)
  right: [
    (number) (string) (template_string) (true) (false) (null) (object) (array) (regex)
    (call_expression) (new_expression) (binary_expression) (ternary_expression)
  ]
  (#eq? @_exports "exports")) @constant

; `const fs = require("fs")` is an import, not a definition.
(variable_declarator
  name: (identifier) @not
  value: (call_expression function: (identifier) @_require) (#eq? @_require "require"))

(arrow_function body: (_) @block)
(function_expression body: (_) @block)
(generator_function body: (_) @block)
