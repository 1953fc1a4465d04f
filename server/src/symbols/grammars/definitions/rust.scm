(use_declaration argument: (_) @import.path)
(extern_crate_declaration name: (identifier) @import)

(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(declaration_list (function_item name: (identifier) @name) @function)
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @union
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @enumMember
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(mod_item name: (identifier) @name) @module
(macro_definition name: (identifier) @name) @macro
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(field_declaration name: (field_identifier) @name) @field

; The contents of `impl Trait for Type` belong to Type.
(impl_item type: (type_identifier) @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @scope
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @scope
(impl_item type: (primitive_type) @name) @scope
(impl_item type: (reference_type type: (_) @name)) @scope
(impl_item type: (dynamic_type trait: (_) @name)) @scope

(closure_expression body: (_) @block)

; The braces of a macro contain tokens: `cfg_net! { pub struct TcpListener { … } }`.
(macro_invocation
  (token_tree
    . "{"
    ["fn" @function "struct" @struct "enum" @enum "trait" @trait "mod" @module "type" @type]
    . (identifier) @name))
(macro_invocation (token_tree . "{" ["const" @constant "static" @variable] . (identifier) @name . [":" "="]))
(macro_invocation
  (token_tree . "{" "static" @variable . (identifier) @_ref . (identifier) @name (#eq? @_ref "ref")))
(macro_invocation
  (token_tree
    . "{"
    (token_tree . "{" "pub" . (token_tree)? . ["async" "const" "unsafe"]? . "fn" @function . (identifier) @name)))
