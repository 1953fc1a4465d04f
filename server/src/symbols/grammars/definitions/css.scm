(import_statement (string_value) @import)
(class_selector (class_name) @name @class)
(id_selector (id_name) @name @constant)
(keyframes_statement (keyframes_name) @name) @function
(declaration (property_name) @name (#match? @name "^--")) @variable
