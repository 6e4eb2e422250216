"""What a person is told of a model: where its weights are and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.errors import LoadError, NotHereError
from core.models.files import is_local, locate, parts
from core.types import Checkpoint


class Status(StrEnum):
    """Where the weights of a checkpoint are."""

    NEEDS_DOWNLOAD = "needs download"
    COLD = "cold"  # on disk
    DOWNLOADING = "downloading"
    LOADING = "loading"  # or waiting for its turn, or for memory
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """`message` says what goes on or what to do, `progress` is the share downloaded, `nbytes` the memory in use."""

    status: Status
    message: str = ""
    progress: float | None = None
    nbytes: int = 0


def state_on_disk(checkpoint: Checkpoint) -> ModelState:
    """The state of a checkpoint that nobody asked for yet: COLD, NEEDS_DOWNLOAD, or FAILED for a folder that is not there."""
    for part in parts(checkpoint):
        try:
            locate(part)
        except NotHereError as error:
            status = Status.FAILED if is_local(part.source) else Status.NEEDS_DOWNLOAD
            return ModelState(status, str(error))
        except LoadError as error:
            return ModelState(Status.FAILED, str(error))
    return ModelState(Status.COLD)
