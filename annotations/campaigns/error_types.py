"""The meanings of the error types that people read, from one file, with the version of their sense."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml  # type: ignore[import-untyped]  # it ships no types
from pydantic import BaseModel, ConfigDict

from core.types import ErrorType

_FILE = Path(__file__).with_suffix(".yaml")

MEANINGS_OF_BEFORE = 1
"""Version of question sets that state none: a predicate was defined by things of the document, a circumstance could be a manner."""


class ErrorTypeMeanings(BaseModel):
    """The sense in which people name errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    meanings: Mapping[ErrorType, str]
    examples: Mapping[ErrorType, str]
    """A worked example of each type, of `example_document`."""
    example_document: str
    sources: str
    circumstance: str
    older: Mapping[int, Mapping[ErrorType, str]]

    def meaning(self, error_type: str, version: int) -> str:
        """The meaning of an error type in a version; "" for Other and for names of others."""
        meanings = self.older.get(version, self.meanings)
        return next((text for kind, text in meanings.items() if kind == error_type), "")

    def example(self, error_type: str, version: int) -> str:
        """The worked example of an error type, in plain text; "" in versions of before and for names of others."""
        text = next((text for kind, text in self.examples.items() if kind == error_type), "")
        return f"For example: {text.replace('*', '')}" if text and version == self.version else ""

    def worked_examples(self) -> str:
        """The document of the examples, and one of each type as a list in Markdown."""
        listed = "\n".join(f"- **{kind}**: {text}" for kind, text in self.examples.items())
        return f"An example of each, for the document “{self.example_document}”\n\n{listed}"

    def listing(self) -> str:
        """The newest meanings as a list in Markdown."""
        return "\n".join(f"- **{kind}**: {text}" for kind, text in self.meanings.items())

    def fill(self, template: str) -> str:
        """A text with `<<NAME>>` in place of a meaning, of the rest of the definitions and of the version."""
        texts = {"version": str(self.version), "sources": self.sources, "circumstance": self.circumstance}
        texts["examples"] = self.worked_examples().replace("\n", "\n  ")
        for name, text in {**{kind.value: text for kind, text in self.meanings.items()}, **texts}.items():
            template = template.replace(f"<<{name}>>", text)
        return template


@cache
def error_type_meanings() -> ErrorTypeMeanings:
    """The newest meanings, after BUMP (Ma et al. 2023)."""
    return ErrorTypeMeanings.model_validate(yaml.safe_load(_FILE.read_text(encoding="utf-8")))
