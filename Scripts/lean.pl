# Takes blanks out of JavaScript: `perl -0p lean.pl < FILE`.
# Strings, templates (with those in their values) and regular expressions stay; blanks go around operators,
# before what closes, and between a word and what opens.
s~
  (?<kept> (?&string) | (?&template) | (?<=[(=,]\ )/(?:[^/\\\n]|\\.)+/ | (?<=\()/(?:[^/\\\n]|\\.)+/ )
  | \s*(?<around> => | === | !== | \?\?=? | && | \|\|=? | <= | >= | [-+]= | \.\.\. | [=?:<>*,;{(\[+|]
    | (?<=\s)-(?=\s) )\s*
  | \s+(?<closing> [)}\]] )
  | (?<=\w)\ (?=[\[{'`])
  (?(DEFINE)
    (?<string> '(?:[^'\\\n]|\\.)*' )
    (?<template> `(?: [^`\\\$] | \\. | \$(?!\{) | \$(?&value) )*` )
    (?<value> \{(?: [^{}`'] | (?&string) | (?&template) | (?&value) )*\} ) )
~$+{kept} // $+{around} // $+{closing} // ''~gex;
