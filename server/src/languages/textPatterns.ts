/** Patterns of languages that several extensions share. Each takes linear time; see `rules.ts`. */
export const objectiveC =
  /^[ \t]*(?:@(?:interface|implementation|protocol|class|property|end|selector|synchronized|import)\b|#import[ \t]+[<"])/m;
export const cPlusPlus =
  /^[ \t]*(?:#[ \t]*include[ \t]*<(?:c?(?:stdint|stddef|string|stdio|math)|algorithm|array|atomic|chrono|deque|functional|iostream|limits|list|map|memory|mutex|optional|ostream|queue|set|sstream|stdexcept|string_view|thread|tuple|type_traits|unordered_map|unordered_set|utility|variant|vector)>|template[ \t]*<|class[ \t]+\w+[^;\n]{0,200}[:{]?[ \t]*$|namespace\b|using[ \t]+(?:namespace|\w+[ \t]*=)|(?:public|private|protected)[ \t]*(?:\w+[ \t]*)?:|constexpr\b|explicit\b|virtual\b|friend\b)|\b(?:std|boost)::|\bstatic_cast<|\bnoexcept\b|\bnullptr\b|\)[ \t]*(?:const[ \t]*)?override\b/m;
export const xml =
  /^\s{0,100}(?:\xef\xbb\xbf)?<\?xml\b|^[ \t]*<\/?[A-Za-z][\w:.-]{0,60}(?:[ \t]+[\w:.-]{1,60}=["'][^"'\n]{0,300}["'])*[ \t]*\/?>/;
export const json = /^\s{0,200}[[{]/;
export const roff = /^(?:[.'][A-Za-z]{2}(?:\s|$)|\.\\"|'\\")/m;
export const perl =
  /^[ \t]*(?:use[ \t]+(?:strict|warnings|utf8|v?5|base|parent|constant|lib|Moose|feature|POSIX|Carp)\b|package[ \t]+[\w:]+[ \t]*[;{]|my[ \t]+[$@%(]|sub[ \t]+\w+[ \t]*[{(]|__(?:END|DATA)__|=(?:head1|pod|cut)\b)|\$\w+[ \t]*=~/m;
export const raku =
  /^[ \t]*(?:use[ \t]+v6\b|unit[ \t]+(?:module|class)\b|(?:my|multi|proto)[ \t]+(?:class|sub|method|role)\b|(?:class|role|grammar)[ \t]+[\w:]+[ \t]*(?:is[ \t]+\w+[ \t]*)?\{)/m;
export const prolog =
  /^[ \t]*:-[ \t]*(?:module|use_module|dynamic|discontiguous|initialization|ensure_loaded|set_prolog_flag)\b|^[a-z]\w*\([^)\n]{0,200}\)[ \t]*(?::-|\.[ \t]*$)/m;
export const fortran =
  /^(?:[cC*!][ \t]?|[ \t]{5,7}\S|[ \t]*(?:program|subroutine|module|function|integer|real|implicit|character|double[ \t]+precision|end)\b)/im;
export const assembly =
  /^[ \t]*(?:[;*#]|\.?(?:globl?|global|section|text|data|align|extern|org|include|macro|equ|db|dw|dd|proc|segment|bits)\b|\w+:(?:\s|$)|(?:mov|lea|jmp|push|pop|ldr|str|add|sub|ret|call|nop)[a-z]{0,2}[ \t])/im;
export const lisp =
  /^[ \t]*\((?:in-package|defpackage|defun|defmacro|defvar|defparameter|defclass|defmethod|defgeneric|eval-when|asdf:)/im;
export const vba =
  /^[ \t]*(?:Attribute[ \t]+VB_|Option[ \t]+(?:Explicit|Base|Compare)|(?:Public|Private|Friend)[ \t]+(?:Sub|Function|Property|Const|Type|Enum)\b|Sub[ \t]+\w+\()/im;
export const cppInclude = /^[ \t]*#[ \t]*(?:include|define|ifdef|ifndef|pragma)\b/m;
export const javaScript =
  /^[ \t]*(?:(?:export|import|const|let|var|async|function|class)\b[^\n]{0,200}[;{=(]|\/\/|\/\*\*|["']use strict["']|(?:module\.)?exports\b|describe\()/m;
export const glsl =
  /^[ \t]*(?:#version\b|(?:uniform|varying|attribute|precision|layout|in|out)\b[^\n]{0,80}[;(]|void[ \t]+main[ \t]*\()/m;
export const shellLike = /^#![^\n]{0,100}\b(?:ba|da|k|z)?sh\b/;
