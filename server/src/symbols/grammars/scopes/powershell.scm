[(function_statement) (class_method_definition)] @scope.function
(script_block_expression (param_block)) @scope

(script_parameter (variable) @local.marked)
(class_method_parameter (variable) @local.marked)
(foreach_statement (variable) @local.marked . (pipeline) @declaration)
; On the left of an assignment, also after a type: `[int] $name = 1`.
(assignment_expression
  (left_assignment_expression
    (logical_expression
      (bitwise_expression
        (comparison_expression
          (additive_expression
            (multiplicative_expression
              (format_expression
                (range_expression
                  (array_literal_expression
                    (unary_expression
                      [
                        (variable) @local.marked
                        (expression_with_unary_operator
                          (cast_expression (unary_expression (variable) @local.marked)))
                      ]))))))))))) @declaration

(member_name (simple_name) @member)
(key_expression (simple_name) @member)
