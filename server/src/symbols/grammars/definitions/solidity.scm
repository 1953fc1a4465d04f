(import_directive source: (_) @import)

(contract_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(library_declaration name: (identifier) @name) @module
(struct_declaration name: (identifier) @name) @struct
(struct_member name: (identifier) @name) @field
(enum_declaration name: (identifier) @name) @enum
(enum_value) @name @enumMember
(event_definition name: (identifier) @name) @event
(error_declaration name: (identifier) @name) @event
(modifier_definition name: (identifier) @name) @method
(function_definition name: (identifier) @name) @function
(constructor_definition "constructor" @name) @constructor
(state_variable_declaration name: (identifier) @name) @field
(constant_variable_declaration name: (identifier) @name) @constant
(user_defined_type_definition name: (identifier) @name) @type
