(call
  !receiver
  method: (identifier) @_require (#any-of? @_require "require" "require_relative" "load")
  arguments: (argument_list . (string) @import))

(class name: (constant) @name) @class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name)) @class
(module name: (constant) @name) @module
(module name: (scope_resolution scope: (_) @owner name: (constant) @name)) @module
(method name: (_) @name) @method
(method name: (identifier) @name (#eq? @name "initialize")) @constructor
(singleton_method name: (_) @name) @method
(alias name: (_) @name) @method
(assignment left: (constant) @name) @constant
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_struct (#any-of? @_struct "Struct" "Class" "Data")
    method: (identifier) @_new (#any-of? @_new "new" "define"))) @class
(call
  method: (identifier) @_accessor (#any-of? @_accessor "attr_reader" "attr_writer" "attr_accessor")
  arguments: (argument_list (simple_symbol) @name @property))
(call
  method: (identifier) @_define (#any-of? @_define "define_method" "alias_method")
  arguments: (argument_list . (simple_symbol) @name)) @method
(assignment left: (global_variable) @name) @variable
