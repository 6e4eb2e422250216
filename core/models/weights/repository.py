"""Contents of a folder or a repository of the hub: names and sizes of its files, and the text of the small ones. Nothing is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2
from huggingface_hub import HfApi, hf_hub_download, try_to_load_from_cache
from huggingface_hub.errors import OfflineModeIsEnabled

from core.base import is_allowed, refusal
from core.errors import MissingWeightsError
from core.model_reference import Checkpoint
from core.models.weights.download import HUB_TIMEOUT_S, hub_error_message
from core.models.weights.hub_revisions import revision_of
from core.models.weights.locations import is_local_source
from core.models.weights.weight_files import MODEL_FILES, ONNX_FILES, WEIGHT_FILES

MODEL_CARD_FILE, ADAPTER_FILE = "README.md", "adapter_config.json"
_READ = (*MODEL_FILES, "tokenizer_config.json", ADAPTER_FILE, MODEL_CARD_FILE)
_MOST_BYTES = 8 * 2**20  # of a file that is read
_MOST_FILES = 5_000
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_PAGE = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/([\w.-]+/[\w.-]+)/?(?:tree/main/?)?")
_LFS_MARK, _LFS_BYTES = "version https://git-lfs", 1_024


@dataclass(frozen=True, slots=True)
class Repository:
    """`source` as a metric names it, `revision` the commit that the branch is at now, "" for a folder.

    `sizes` are bytes by name, with folders before it; `texts` the contents of configuration, tokenizer settings and model card.
    `pointers` are files of weights that hold, in place of weights, only the pointers of Git LFS.
    """

    source: str
    revision: str
    sizes: Mapping[str, int]
    texts: Mapping[str, str]
    pointers: tuple[str, ...] = ()

    @property
    def download_mb(self) -> int:
        """Megabytes of the weights that would be downloaded; 0 for a folder."""
        weights = next((name for name in (*WEIGHT_FILES, *ONNX_FILES) if name in self.sizes), "")
        stem, ending = (weights.partition(".")[0], weights.removesuffix(".index.json").rpartition(".")[2])
        files = [name for name in self.sizes if name.startswith(stem) and name.endswith(f".{ending}")]
        return -(-sum(self.sizes[name] for name in files) // 10**6) if self.revision else 0


def read_repository(source: str, revision: str = "") -> Repository:
    """The files of owner/name, its page on the hub, or a folder. Raises MissingWeightsError with what to do."""
    page = _PAGE.fullmatch(source.strip())
    named = page[1] if page else source.strip()
    if is_local_source(named):
        return _read_folder(named)
    if not _REPOSITORY.fullmatch(named) or ".." in named:
        raise MissingWeightsError(
            f"{named!r} is neither a folder of this machine nor the name of a repository of the hub. Write owner/name, or the "
            "whole path of a folder."
        )
    part = Checkpoint(named, "", revision)
    api = HfApi()
    try:
        info = api.model_info(named, revision=revision_of(part), timeout=HUB_TIMEOUT_S, files_metadata=True)
        sizes = {sibling.rfilename: sibling.size or 0 for sibling in (info.siblings or ())[:_MOST_FILES]}
        commit = str(info.sha)
        names = [name for name in _READ if 0 <= sizes.get(name, -1) <= _MOST_BYTES]
        here = {name: hf_hub_download(named, name, revision=commit, etag_timeout=HUB_TIMEOUT_S) for name in names}
    except (httpx2.HTTPError, OSError, ValueError) as error:
        cached = try_to_load_from_cache(named, "config.json", revision=revision_of(part))
        if isinstance(error, OfflineModeIsEnabled) and isinstance(cached, str):
            repository = _read_folder(str(Path(cached).parent))
            return Repository(named, Path(cached).parent.name, repository.sizes, repository.texts)
        again = "try again, or put its files into a folder and name that folder."
        raise MissingWeightsError(hub_error_message(part, api.endpoint, error, again)) from error
    return Repository(named, commit, sizes, {name: _read_text(Path(file)) for name, file in here.items()})


def _read_folder(source: str) -> Repository:
    folder = Path(source).expanduser()
    if not is_allowed(folder):
        raise MissingWeightsError(refusal(source))
    if not folder.is_dir():
        what = "is a file" if folder.is_file() else "does not exist"
        raise MissingWeightsError(
            f"{source!r} {what}. Name the folder that holds config.json, model.safetensors and tokenizer.json."
        )
    folder = folder.resolve()
    files = [file for file in [*folder.glob("*"), *folder.glob("*/*")][:_MOST_FILES] if file.is_file()]
    sizes = {file.relative_to(folder).as_posix(): file.stat().st_size for file in files}
    texts = {name: _read_text(folder / name) for name in _READ if 0 <= sizes.get(name, -1) <= _MOST_BYTES}
    small = [name for name, size in sizes.items() if name.endswith((".safetensors", ".bin")) and size < _LFS_BYTES]
    pointers = tuple(name for name in small if _read_text(folder / name).startswith(_LFS_MARK))
    return Repository(str(folder), "", sizes, texts, pointers)


def _read_text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
