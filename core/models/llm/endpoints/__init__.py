"""Endpoints of language models: where they are configured, and what each can do."""
