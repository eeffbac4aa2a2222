"""Text -> vectors. Texts that mean the same should come out near each other."""
