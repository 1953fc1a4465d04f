(builtin_function
  (builtin_identifier) @_import (#any-of? @_import "@import" "@cImport" "@embedFile")
  (arguments (string) @import))

(function_declaration name: (identifier) @name) @function
; Members of a returned type are public: `fn List(comptime T: type) type { return struct { … }; }`.
(function_declaration
  name: (identifier) @owner
  body: (block
    (expression_statement
      (return_expression
        (struct_declaration (function_declaration name: (identifier) @name) @method.outer)))))
(source_file (variable_declaration "const" . (identifier) @name) @constant)
(source_file (variable_declaration "var" . (identifier) @name) @variable)
(struct_declaration (variable_declaration "const" . (identifier) @name) @constant)
(enum_declaration (variable_declaration "const" . (identifier) @name) @constant)
(union_declaration (variable_declaration "const" . (identifier) @name) @constant)
(variable_declaration (identifier) @name (struct_declaration)) @struct
(variable_declaration (identifier) @name (enum_declaration)) @enum
(variable_declaration (identifier) @name (union_declaration)) @union
(variable_declaration (identifier) @name (error_set_declaration)) @enum
(container_field name: (identifier) @name) @field
(enum_declaration (container_field name: (identifier) @name) @enumMember)
(enum_declaration (container_field type: (identifier) @name) @enumMember)
(test_declaration (string) @name) @function
; `const std = @import("std")` is an import, not a definition.
(variable_declaration
  (identifier) @not
  (builtin_function (builtin_identifier) @_import (#eq? @_import "@import")))
