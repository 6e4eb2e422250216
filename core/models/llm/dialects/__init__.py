"""One file for each API that an endpoint may speak; see `core.models.llm.dialect`."""
