"""Texts: sentences, languages, words of English, executable edits, contexts and claims of a summary."""
