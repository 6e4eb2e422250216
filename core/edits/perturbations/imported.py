"""Variants that somebody else made: of a table, kept with a stress run, never made here."""

from __future__ import annotations

import random
from dataclasses import dataclass

from core.edits.perturbation import PERTURBATIONS, Intent, Perturbation, PerturbationCard
from core.errors import UnscorableError
from core.types import Edit, Example


@dataclass(frozen=True)
class Imported(Perturbation):
    """A kind of perturbation of a table, by the name that it has there."""

    kind: str = ""

    @property
    def title(self) -> str:
        return f"{self.kind} (imported)"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # the signature of every perturbation
        raise UnscorableError(
            f"The table has no variant of the kind “{self.kind}” of this summary: it is read by stress --variants, not made."
        )


def _imported(intent: Intent, meant: str) -> type[Imported]:
    card = PerturbationCard(
        title=f"Imported, {meant}",
        intent=intent,
        does=f"Takes the variants of a table that are said to be {intent}.",
        paper="the table that was imported",
        form="imported",
    )
    members = {"name": f"imported-{intent}", "card": card, "__module__": __name__}
    plugin: type[Imported] = type(f"Imported{intent.title()}", (Imported,), members)
    PERTURBATIONS.add(plugin)
    return plugin


IMPORTED: dict[Intent, type[Imported]] = {
    "preserving": _imported("preserving", "meaning kept"),
    "breaking": _imported("breaking", "meaning broken"),
    "gaming": _imported("gaming", "gaming"),
}
