"""The example at the end of a command's help."""

from __future__ import annotations


def example_epilog(line: str) -> str:
    """The line below its heading, as the help prints it: whole, however long it is."""
    return f"\b\nExample:\n  {line}"  # a paragraph that begins so is never wrapped
