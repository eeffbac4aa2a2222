"""How good is a ranked list? `metrics` says it in one number; `experiment` runs a retriever over a whole question set."""
