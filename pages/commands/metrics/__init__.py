"""Commands about metrics: what there is, what one lacks, and new ones."""
