; resource "type" "name", and variable "name": the last label names the block.
(block (identifier) (string_lit (template_literal) @name) . (block_start)) @class
(config_file (body (block (identifier) @name . (block_start)) @namespace))
(config_file (body (attribute (identifier) @name) @variable))
(config_file (body (block (identifier) @_locals (#eq? @_locals "locals") (body (attribute (identifier) @name) @variable))))
