(attribute
  (attribute_name) @_id (#eq? @_id "id")
  (quoted_attribute_value (attribute_value) @name)) @constant
