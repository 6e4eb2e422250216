"""The ways to find the claims of a summary; each file is found by being here."""
