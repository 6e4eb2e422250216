"""Commands that ask language models."""
