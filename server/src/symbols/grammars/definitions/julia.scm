(import_statement (identifier) @import)
(using_statement (identifier) @import)

(module_definition name: (identifier) @name) @module
(function_definition (signature (call_expression . (identifier) @name))) @function
(function_definition (signature (where_expression (call_expression . (identifier) @name)))) @function
(function_definition
  (signature (where_expression (typed_expression (call_expression . (identifier) @name))))) @function
(function_definition (signature (typed_expression (call_expression . (identifier) @name)))) @function
(function_definition (signature (call_expression . (field_expression value: (_) @owner (identifier) @name)))) @function
(assignment . (call_expression . (identifier) @name)) @function
(assignment . (where_expression (call_expression . (identifier) @name))) @function
(macro_definition (signature (call_expression . (identifier) @name))) @macro
(struct_definition (type_head (identifier) @name)) @struct
(struct_definition (type_head (parametrized_type_expression . (identifier) @name))) @struct
(struct_definition (type_head (binary_expression . (identifier) @name))) @struct
(struct_definition (type_head (binary_expression . (parametrized_type_expression . (identifier) @name)))) @struct
(struct_definition (identifier) @name @field)
(struct_definition (typed_expression . (identifier) @name) @field)
(abstract_definition (type_head (identifier) @name)) @type
(abstract_definition (type_head (binary_expression . (identifier) @name))) @type
(const_statement (assignment . (identifier) @name)) @constant
(source_file (assignment . (identifier) @name) @variable)
(module_definition (assignment . (identifier) @name) @variable)
(assignment . (call_expression . (field_expression value: (_) @owner (identifier) @name))) @function
(macrocall_expression
  (macro_identifier (identifier) @_enum (#eq? @_enum "enum"))
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)])) @enum
(macrocall_expression
  (macro_identifier (identifier) @_enum (#eq? @_enum "enum"))
  (macro_argument_list
    . (_)
    [
      (identifier) @name @enumMember
      (assignment . (identifier) @name) @enumMember
      (compound_statement [(identifier) @name (assignment . (identifier) @name)] @enumMember)
    ]))
