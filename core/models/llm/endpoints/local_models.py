"""Language models of this machine in the place of an endpoint's: `local:` and a folder or a repository of the hub."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadSettingError
from core.model_reference import Checkpoint, EndpointModel, ModelRef
from core.models.weights.integrity import fingerprint_of_files
from core.models.weights.locations import is_local_source

LOCAL = "local:"
"""Beginning of the name of a model that is loaded and not asked of an endpoint."""

_DTYPE = "bfloat16"  # what nearly all chat models are released in


def is_local_model(model: str) -> bool:
    return model.strip().startswith(LOCAL)


def chat_model(model: str, endpoint: str) -> ModelRef:
    """Model that answers chat questions: an endpoint, or a checkpoint where it is named as one of this machine."""
    return _checkpoint(model, "local_chat") if is_local_model(model) else EndpointModel(endpoint, "endpoint_chat")


def first_token_model(model: str, endpoint: str) -> ModelRef:
    """The same for questions about the probabilities of the first token."""
    if is_local_model(model):
        return _checkpoint(model, "local_logprobs")
    return EndpointModel(endpoint, "endpoint_logprobs")


def check_local_model(model: str, endpoint: str) -> str:
    """The name of a local model without blanks; raises BadSettingError for one that cannot be asked as it is named."""
    name = model.strip()
    if not name.removeprefix(LOCAL).strip():
        raise BadSettingError(
            f"{name!r} names no model. Write {LOCAL} and a folder, or a repository of the hub (owner/name)."
        )
    if endpoint:
        raise BadSettingError(
            f"{name} is loaded on this machine, and endpoint={endpoint} is another server. Leave one of the two out."
        )
    return name


def model_title(model: str) -> str:
    """The name of a model in a signature: without the path of a folder, which means nothing on another machine."""
    source = model.strip().removeprefix(LOCAL).strip()
    return f"{LOCAL}{Path(source).name}" if is_local_model(model) and is_local_source(source) else model


def weights_fingerprint(model: str) -> str:
    """Sha256, in hex, of the files of a local model; raises MissingWeightsError, LoadError."""
    return fingerprint_of_files(_checkpoint(model, "local_chat"))


def _checkpoint(model: str, kind: str) -> Checkpoint:
    return Checkpoint(model.strip().removeprefix(LOCAL).strip(), kind, dtype=_DTYPE, setting="model")
