"""The lessons, each a file of `docs/start/lessons`: steps that are done on the pages with what comes with Touchstone."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pages.server.docs_pages import DOCS

FOLDER = "start/lessons"


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to the question of a step: `right` is "always", or the place of what the page shows where it is right, else ""."""

    text: str
    why: str
    right: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Step of the tour or of a lesson: an element of a page and a text about it, about ten seconds of speech."""

    page: str
    """Title of the page."""
    target: str
    """CSS selector on the page; what follows ` >>> ` is looked up inside the component there."""
    title: str
    """Heading of the card."""
    text: str
    """Text of the card, in plain words."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the address that the page is opened with; empty for those of the last step before on the same page."""
    done: str = ""
    """CSS selector that matches once the task is done, or `?name=value` for a parameter of the address; empty without a task."""
    after: str = ""
    """Text shown once the task is done."""
    choices: tuple[Choice, ...] = ()
    """Possible answers to the question of the step; empty without a question."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson of about two minutes; `chapter` is the one of the documents that goes on from it."""

    title: str
    about: str
    chapter: str
    steps: tuple[Step, ...]

    @property
    def pages(self) -> frozenset[str]:
        """The titles of the pages that it is done on."""
        return frozenset(step.page for step in self.steps)


@cache
def read_lessons(docs: Path = DOCS) -> Mapping[str, Lesson]:
    """The lessons by their names, in the order of their places. Raises ValueError for a step that asks for nothing to be checked."""
    files = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in (docs / FOLDER).glob("*.toml")}
    ordered = sorted(files.items(), key=lambda item: item[1].pop("place"))
    lessons = {}
    for name, record in ordered:
        steps = []
        for step in record.pop("steps"):
            choices = tuple(Choice(**choice) for choice in step.pop("choices", ()))
            steps.append(Step(**step, choices=choices))
            if bool(steps[-1].done) == any(choice.right for choice in choices):
                raise ValueError(
                    f"Step {len(steps)} of the lesson {name!r} needs either `done`, or choices of which one is right."
                )
        lessons[name] = Lesson(**record, steps=tuple(steps))
    return lessons


def opening_query(steps: Sequence[Step], at: int) -> dict[str, str]:
    """The query of a step, or of the last one before it on the same page that has any."""
    for step in reversed(steps[: at + 1]):
        if step.page != steps[at].page:
            break
        if step.query:
            return dict(step.query)
    return {}


def after(lessons: Mapping[str, Lesson], name: str) -> str:
    """The name of the lesson that follows; "" after the last one and for no lesson."""
    names = [*lessons, ""]
    return names[names.index(name) + 1] if name in lessons else ""
