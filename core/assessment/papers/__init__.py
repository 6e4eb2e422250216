"""Papers: tables, packs, figures, and the comparison with printed ones."""
