(open_module module: (module_path) @import)

(module_definition (module_binding (module_name) @name)) @module
(module_type_definition (module_type_name) @name) @interface
(class_definition (class_binding (class_name) @name)) @class
(method_definition (method_name) @name) @method
(type_definition (type_binding name: (type_constructor) @name)) @type
(constructor_declaration (constructor_name) @name) @enumMember
(field_declaration (field_name) @name) @field
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)])) @constant
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] (parameter))) @function
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] body: (fun_expression))) @function
(value_definition (let_binding pattern: [(value_name) @name (parenthesized_operator (_) @name)] body: (function_expression))) @function
(external [(value_name) @name (parenthesized_operator (_) @name)]) @function
(exception_definition (constructor_declaration (constructor_name) @name)) @class
(let_expression (value_definition) @block)
