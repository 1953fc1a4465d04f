(class_interface . (identifier) @name) @class
(class_implementation . (identifier) @name) @class
(protocol_declaration . (identifier) @name) @interface
(method_declaration (method_type) . (identifier) @name) @method
(method_definition (method_type) . (identifier) @name) @method
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @property
(property_declaration
  (struct_declaration (struct_declarator (pointer_declarator declarator: (identifier) @name)))) @property
