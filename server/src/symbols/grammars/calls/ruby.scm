(call method: (constant) @call)
; A call without receiver and arguments looks like a variable; scopes tell whether it is one.
(identifier) @call
