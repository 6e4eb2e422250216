"""Checkpoints and released datasets from the hub, with progress, and with a sentence for everything that goes wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatch
from pathlib import Path
from tempfile import NamedTemporaryFile

import httpx2
from huggingface_hub import HfApi, constants, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.file_download import repo_folder_name
from tqdm import tqdm  # type: ignore[import-untyped]  # it ships no types

from core.data import Importer
from core.errors import MissingWeightsError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.weights.hub_revisions import hub_file, revision_of
from core.models.weights.locations import checkpoint_parts, is_local_source, listing_file
from core.models.weights.weight_files import (
    BACKBONE,
    MODEL_FILES,
    MODULE_FILES,
    ONNX_FILES,
    ONNX_KIND,
    TOKENIZER_FILES,
    TOKENIZER_SETTINGS,
    TRANSLATION_FILES,
    WEIGHT_FILES,
)

HUB_TIMEOUT_S = 5.0
"""Seconds that the hub may take for an answer."""

_SHARD_PATTERNS = {
    "model.safetensors.index.json": "model-*.safetensors",
    "pytorch_model.bin.index.json": "pytorch_model-*.bin",
}
_ALWAYS_NEEDED = (
    *TOKENIZER_FILES,
    *TRANSLATION_FILES,
    *TOKENIZER_SETTINGS,
    *MODEL_FILES,
    *(f"[0-9]*_*/{name}" for name in MODULE_FILES),  # as sentence-transformers names the folders of modules
)


def download(checkpoint: Checkpoint, report: Callable[[float], None]) -> None:
    """Bring the needed files into the hub's cache; `report` gets the share done. Raises NotHereError with what to do."""
    for part in checkpoint_parts(checkpoint):
        if not is_local_source(part.source):
            has_tokenizer = part.kind == BACKBONE or not checkpoint.backbone

            api = HfApi()
            repository, file = hub_file(part.source)
            revision = revision_of(part)
            try:
                info = api.model_info(repository, revision=revision, timeout=HUB_TIMEOUT_S, files_metadata=True)
                sizes = {sibling.rfilename: sibling.size or 0 for sibling in info.siblings or ()}
                by_kind = {BACKBONE: _backbone_files, ONNX_KIND: _onnx_files}
                names = [file] if file else by_kind.get(part.kind, needed_files)(sizes)
                if lacking := _lacking_in_listing(part, sizes, has_tokenizer):
                    raise MissingWeightsError(
                        f"{part.source} at revision {revision} lists no {lacking}, so nothing was downloaded. Set revision= to one "
                        "that has it, or put all files into a folder and name that folder instead."
                    )

                commit = str(info.sha)
                folder = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repository, repo_type="model")
                noted = listing_file(folder, commit, part.kind)
                noted.parent.mkdir(parents=True, exist_ok=True)
                with NamedTemporaryFile("w", dir=noted.parent, delete=False) as listing:
                    json.dump(names, listing)
                Path(listing.name).replace(noted)

                snapshot_download(
                    repository,
                    revision=revision,
                    allow_patterns=names,
                    etag_timeout=HUB_TIMEOUT_S,
                    tqdm_class=_progress_bar(report, sum(sizes.get(name, 0) for name in names)),
                )
            except (httpx2.HTTPError, OSError, ValueError) as error:
                again = f"download again, or put the files into a folder and set {part.setting}= to it."
                raise MissingWeightsError(hub_error_message(part, api.endpoint, error, again)) from error


def needed_files(names: Iterable[str]) -> list[str]:
    """Of a repository's files those that are needed: one form of the weights, the configuration, the tokenizer."""
    present = list(names)
    weights = next((name for name in WEIGHT_FILES if name in present), "")
    patterns = [*_ALWAYS_NEEDED, weights, _SHARD_PATTERNS.get(weights, "")]
    return [name for name in present if any(fnmatch(name, pattern) for pattern in patterns)]


def _backbone_files(names: Iterable[str]) -> list[str]:
    """Of a repository's files those that tell how a model is built and reads."""
    patterns = (*TOKENIZER_FILES, *TOKENIZER_SETTINGS, "config.json")
    return [name for name in names if any(fnmatch(name, pattern) for pattern in patterns)]


def _onnx_files(names: Iterable[str]) -> list[str]:
    """Of a repository's files an ONNX file with what lies beside it, the configuration, the tokenizer."""
    present = list(names)
    file = next((name for name in ONNX_FILES if name in present), ONNX_FILES[0])
    return [name for name in present if any(fnmatch(name, pattern) for pattern in (*_ALWAYS_NEEDED, f"{file}*"))]


def _lacking_in_listing(part: Checkpoint, names: Collection[str], has_tokenizer: bool) -> str:
    """File that a repository lacks for a part, by its listing; empty where nothing is missing."""
    _, file = hub_file(part.source)
    if file:
        return "" if file in names else file
    alternatives = {"config.json": {"config.json"}}
    if part.kind == ONNX_KIND:
        alternatives[ONNX_FILES[0]] = {*ONNX_FILES}
    elif part.kind != BACKBONE:
        alternatives["model.safetensors or pytorch_model.bin"] = {*WEIGHT_FILES}
    if has_tokenizer:
        alternatives["tokenizer (tokenizer.json, vocab.txt, spiece.model, …)"] = {*TOKENIZER_FILES}
    return next((what for what, any_of in alternatives.items() if any_of.isdisjoint(names)), "")


def _progress_bar(report: Callable[[float], None], expected: int) -> type[tqdm]:
    """A progress bar that reports instead of drawing, against the bytes that the repository lists.

    The hub opens two bars over the same bytes, whose totals grow: the largest counts, not the sum.
    """
    bars: list[tqdm] = []

    class Bar(tqdm):
        def __init__(self, *args: object, **options: object) -> None:
            super().__init__(*args, **{**options, "disable": False, "file": io.StringIO()})
            if options.get("unit") == "B":
                bars.append(self)

        def update(self, n: float | None = 1) -> bool | None:
            displayed = super().update(n)
            total = max(expected, max((bar.total or 0 for bar in bars), default=0))
            if total:
                report(min(1.0, max(bar.n for bar in bars) / total))
            return displayed

    return Bar


def hub_error_message(checkpoint: Checkpoint, hub: str, error: Exception, again: str) -> str:
    """Message with the problem and what to do, the narrowest error first; `again` says how to go on."""
    source = checkpoint.source
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
    sentences: list[tuple[type[Exception], str]] = [
        (
            GatedRepoError,
            f"{source} is gated. Accept its terms at {hub}/{source}, log in with `hf auth login`, and {again}",
        ),
        (
            RepositoryNotFoundError,
            f"{hub} has no repository {source!r}, or it is private: log in with `hf auth login`, and {again}",
        ),
        (
            RevisionNotFoundError,
            f"{source} has no revision {revision_of(checkpoint)!r}. Set revision= to one that exists, as revision=main.",
        ),
        (HfHubHTTPError, f"{hub} refused {source} with status {status}. Wait and {again}"),
        (OfflineModeIsEnabled, f"HF_HUB_OFFLINE forbids to download {source}. Unset it and {again}"),
        (httpx2.HTTPError, f"{hub} cannot be reached to download {source}. Check the network and {again}"),
        (LocalEntryNotFoundError, f"{hub} cannot be reached to download {source}. Check the network and {again}"),
        (
            ValueError,
            f"{hub} does not answer as a hub would: a log-in page of the network, perhaps. Open it in a browser, and {again}",
        ),
    ]
    disk = f"{source} cannot be written to disk ({error}). Make room, or set HF_HOME to another disk, and {again}"
    return next((sentence for kind, sentence in sentences if isinstance(error, kind)), disk)


_DATASET_FILES = ["*.json", "*.jsonl", "*.csv", "*.parquet"]


def fetch_released_dataset(reader: Importer) -> Path:
    """The folder with the dataset's files: in Touchstone, or in the hub's cache, where nothing is downloaded twice.

    Raises TouchstoneError, with what to do, where the dataset is not on the hub or the hub does not give it.
    """
    if reader.shipped:
        return reader.shipped
    if not reader.hub:
        where = (
            f"is not on the hub. Get it from {reader.url} and name" if reader.url else "has no place of its own: name"
        )
        raise TouchstoneError(f"{reader.title} {where} the file or folder to read.")
    api = HfApi()
    try:
        api.dataset_info(reader.hub, timeout=HUB_TIMEOUT_S)
        return Path(
            snapshot_download(
                reader.hub, repo_type="dataset", allow_patterns=_DATASET_FILES, etag_timeout=HUB_TIMEOUT_S
            )
        )
    except (httpx2.HTTPError, OSError) as error:
        page, by_hand = f"{api.endpoint}/datasets/{reader.hub}", "download it by hand and name the file or folder."
        if isinstance(error, GatedRepoError):
            dataset_error_message = f"{reader.title} is gated. Accept its terms at {page}, log in with `hf auth login` and try again, or {by_hand}"
        elif isinstance(error, RepositoryNotFoundError):
            dataset_error_message = f"{api.endpoint} has no dataset {reader.hub!r}, or it is private: log in with `hf auth login` and try again, or {by_hand}"
        else:
            dataset_error_message = (
                f"{page} cannot be reached ({type(error).__name__}). Check the network and try again, or {by_hand}"
            )
        raise TouchstoneError(dataset_error_message) from error


def provenance_name(reader: Importer, place: Path) -> str:
    """Name for provenance of the place that `released` gave: the repository at its commit, or the folder."""
    return f"{reader.hub}@{place.name}" if reader.hub else place.name
