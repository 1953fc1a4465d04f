; Names can be anywhere inside declarators; declarator.ts finds them.
(preproc_include path: (_) @import)

(function_definition declarator: (_) @declarator) @function
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @union
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @enumMember
(field_declaration declarator: (_) @declarator) @field
(type_definition declarator: (_) @declarator) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro

(translation_unit (declaration declarator: (_) @declarator) @variable)
(linkage_specification (declaration declarator: (_) @declarator) @variable)
(declaration_list (declaration declarator: (_) @declarator) @variable)
(preproc_if (declaration declarator: (_) @declarator) @variable)
(preproc_ifdef (declaration declarator: (_) @declarator) @variable)
(preproc_elif (declaration declarator: (_) @declarator) @variable)
(preproc_else (declaration declarator: (_) @declarator) @variable)

; The rest of a function whose head is a macro.
(translation_unit (compound_statement) @block)
(ERROR (compound_statement) @block)
