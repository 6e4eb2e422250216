"""References to models that answer questions: weights loaded on this machine, whatever an endpoint serves, or a function of a plug-in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

TF32: Literal["tf32"] = "tf32"

Dtype = Literal["float32", "tf32", "float16", "bfloat16"]
"""The number types that weights are loaded in; tf32 is float32 whose matrices NVIDIA GPUs multiply with 10 bits of mantissa."""


ConfigCheck = Literal["strict", "off"]
"""Check that the config.json of a classifier is that of a model made for the metric; "off" where the owner says so."""


@dataclass(frozen=True, slots=True)
class ExpectedModel:
    """Requirements of a metric on a classifier.

    `labels` are its classes in the order in which the metric reads them, each by the names that stand for it, in lower
    case. `model_types` are those of the authors' models, which count where a config.json does not name its labels.
    `published` says that the weights are the authors' own, whose order is known.
    """

    labels: tuple[tuple[str, ...], ...]
    model_types: tuple[str, ...]
    published: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Weights to load, and the kind of forward pass they are for."""

    decided_by: ClassVar[str] = "weights"
    """Noun in a signature for what the fingerprint is of."""

    source: str
    """A local folder or file, a hub repository (owner/name), or one file of it (owner/name/file)."""

    kind: str
    """The name of a module of `core/models/adapters`."""

    revision: str = ""
    """A branch, tag or commit of the repository; "" for the pinned commit, or main."""

    dtype: str = "float32"
    """The name of a torch dtype."""

    backbone: str = ""
    """The folder or repository of configuration and tokenizer; "" if they come with the weights."""

    expects: ExpectedModel | None = None
    """The requirements that its config.json is checked against; None if the owner vouches for it."""

    setting: str = field(default="checkpoint", compare=False)
    """The setting of the metric that names it, for messages."""

    def __hash__(self) -> int:
        return hash(
            (self.source, self.kind)
        )  # of the rest few differ, and the engine looks checkpoints up for every question


def file_checkpoint(path: str, kind: str, setting: str) -> Checkpoint:
    """The checkpoint of a file of the user's own, which is never looked for on the hub; "" for one that is not named yet."""
    is_place = not path or Path(path).is_absolute() or path.startswith((".", "~"))
    return Checkpoint(path if is_place else f"./{path}", kind, setting=setting)


@dataclass(frozen=True, slots=True)
class EndpointModel:
    """Whatever model a configured endpoint serves; nothing is loaded.

    `kind` names a module of `core/models/adapters` whose `ask(endpoint, question)` answers. `endpoint` is its name, "" for the default one. `address` is where it was when a conversation began to ask, "" for
    wherever it is then: what a server answers is not the answer of another server of that name.
    """

    decided_by: ClassVar[str] = "address"

    endpoint: str
    kind: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class PluginFunction:
    """A function of a plug-in, which a process of its own calls; nothing is loaded here.

    `source` is the path of its file, or the name of a module of an installed package. `name` is that of its metric, and
    `at_once` the number of examples that one call may be given.
    """

    decided_by: ClassVar[str] = "source"
    kind: ClassVar[str] = "plugin"

    source: str
    name: str
    at_once: int = 1


ModelRef = Checkpoint | EndpointModel | PluginFunction
"""Model that answers a question."""


def local_checkpoints(models: Iterable[ModelRef]) -> tuple[Checkpoint, ...]:
    """Those whose weights are loaded on this machine."""
    return tuple(model for model in models if isinstance(model, Checkpoint))


def asks_endpoint(models: Iterable[ModelRef]) -> bool:
    """True if any of them is behind an endpoint."""
    return any(isinstance(model, EndpointModel) for model in models)
