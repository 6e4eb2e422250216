"""Values that `import touchstone` gives: scores with their display, variants, and evaluations."""
