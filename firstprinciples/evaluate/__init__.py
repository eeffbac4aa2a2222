"""How good is a ranked list? `metrics` says it in numbers; `experiment` runs a retriever over a question set; `compare`
says how far two are apart; `build` makes a retriever of the command line's options, and `command` measures and prints.
"""
