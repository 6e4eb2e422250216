"""The base of perturbations that ask networks of this machine, as a masked language model, through the engine."""

from __future__ import annotations

import random
from dataclasses import dataclass

from core.edits.perturbation import Perturbation
from core.errors import UnscorableError
from core.model_reference import local_checkpoints
from core.models.weights.integrity import fingerprint_of_files
from core.scoring.metric import portable_spec
from core.types import Edit, Example


@dataclass(frozen=True)
class ModelPerturbation(Perturbation):
    """Overrides `checkpoints` and `rounds`; a variant is signed with the weights that took part in it."""

    @property
    def signature(self) -> str:
        """Signature that distinguishes two variants; raises MissingWeightsError, LoadError for weights that are not here."""
        models = self.checkpoints()
        weights = "+".join(fingerprint_of_files(model)[:12] for model in local_checkpoints(models))
        return f"{portable_spec(self.spec, models)}|weights:{weights}"

    def edits(self, example: Example, rng: random.Random) -> list[Edit]:  # noqa: ARG002  # the signature of every perturbation
        raise UnscorableError(f"“{self.card.title}” asks a model, which takes a while: it cannot be done at once.")
