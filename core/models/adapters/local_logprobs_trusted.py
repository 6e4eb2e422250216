"""Kind "local_logprobs_trusted": kind "local_logprobs" for a repository that brings its own code, which is run where the machine allows it."""

from __future__ import annotations

from pathlib import Path

from transformers import AutoModelForCausalLM

from core.model_reference import Checkpoint
from core.models.adapters.local_logprobs import LogprobModel, load_with
from core.models.weights.integrity import require_trust


def load(path: Path, checkpoint: Checkpoint, device: str) -> LogprobModel:
    require_trust(checkpoint, path)
    return load_with(_from_trusted, path, checkpoint, device)


def _from_trusted(folder: Path, **options: object) -> object:
    return AutoModelForCausalLM.from_pretrained(folder, **{**options, "trust_remote_code": True})
