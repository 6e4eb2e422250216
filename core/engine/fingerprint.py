"""The hash that a model goes by in signatures and in the cache: of its weights, of its address, or of its code."""

from __future__ import annotations

from core.llm.endpoints import model_fingerprint
from core.model_reference import Checkpoint, EndpointModel, ModelRef
from core.models.pool import ModelPool
from core.plugins.source import source_hash


def fingerprint_of(model: ModelRef, pool: ModelPool) -> str:
    """64 hex digits, the first 12 of which are in signatures. Raises TouchstoneError where weights, endpoint or file are missing."""
    if isinstance(model, Checkpoint):
        return pool.fingerprint(model)
    return model_fingerprint(model) if isinstance(model, EndpointModel) else source_hash(model.source)
