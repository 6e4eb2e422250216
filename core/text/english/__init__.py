"""English by rule: closed classes, inflection, small word lists of our own. No parser, nothing to download."""
