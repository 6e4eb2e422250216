"""Commands that score and perturb."""
