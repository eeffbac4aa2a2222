"""What is said before and after the search: `rewrite` turns what was typed into what can be looked for."""
