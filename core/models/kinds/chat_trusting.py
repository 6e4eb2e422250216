"""Kind "chat_trusting": kind "chat" for a repository that brings its own code, which is run where the machine allows it."""

from __future__ import annotations

from pathlib import Path

from transformers import AutoModelForCausalLM

from core.models.kinds.chat import Chatter, load_with
from core.models.trust import require_trust
from core.types import Checkpoint


def load(path: Path, checkpoint: Checkpoint, device: str) -> Chatter:
    require_trust(checkpoint, path)
    return load_with(_from_trusted, path, checkpoint, device)


def _from_trusted(folder: Path, **options: object) -> object:
    return AutoModelForCausalLM.from_pretrained(folder, **{**options, "trust_remote_code": True})
