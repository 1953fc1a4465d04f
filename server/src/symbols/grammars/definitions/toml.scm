(table . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @module
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @property
