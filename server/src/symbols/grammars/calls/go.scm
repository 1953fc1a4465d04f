(call_expression function: [(identifier) @call (selector_expression field: (field_identifier) @call)])
; `f[int](x)` may also be a conversion.
(type_conversion_expression
  type: (generic_type type: [(type_identifier) @call (qualified_type name: (type_identifier) @call)]))
