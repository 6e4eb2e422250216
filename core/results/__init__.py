"""Results of scoring: cases of labelled summaries, stress runs, and folders of blocks."""
