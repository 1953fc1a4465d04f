(using_directive [(identifier) (qualified_name)] @import)

(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @enumMember
(delegate_declaration name: (identifier) @name) @type

(method_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(constructor_declaration name: (identifier) @name) @constructor
(destructor_declaration name: (identifier) @name) @method
(operator_declaration operator: _ @name) @operator
(conversion_operator_declaration ["implicit" "explicit"] @name) @operator
(indexer_declaration "this" @name) @property
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @event
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @event))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @field))
(field_declaration
  (modifier) @_const (#eq? @_const "const")
  (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(record_declaration (parameter_list (parameter name: (identifier) @name) @property))
(lambda_expression body: (_) @block)
