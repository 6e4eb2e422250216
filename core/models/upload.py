"""A trained metric or a dataset sent to the hub: the files that are known here, and a sentence for everything that goes wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import httpx2
import yaml  # type: ignore[import-untyped]  # it ships no types
from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled, RepositoryNotFoundError

from core.base import licence_fields
from core.errors import TouchstoneError
from core.models.weights.weight_files import TOKENIZER_FILES, TOKENIZER_SETTINGS
from core.models.words.head import CARD_FILE, CONFIG_FILE, DOCUMENTS_FILE, FIGURES_FILE, SHALLOW_FILE, WEIGHTS_FILE

_PUSHED_FILES = (
    *(WEIGHTS_FILE, CONFIG_FILE, SHALLOW_FILE),
    *(CARD_FILE, FIGURES_FILE, DOCUMENTS_FILE),
    *TOKENIZER_FILES,
    *TOKENIZER_SETTINGS,
)
"""All that is ever sent: weights, configuration, tokenizer, card, figures and the hashes of documents; no text of the training."""

_Kind = Literal["model", "dataset"]
_COMMIT_MESSAGES: dict[_Kind, str] = {
    "model": "Upload a metric trained with Touchstone",
    "dataset": "Upload a dataset exported from Touchstone",
}


def push(folder: Path, repository: str, licence: str, *, public: bool = False, existing: bool = False) -> str:
    """Send a trained metric to `repository`, with the token of the environment; its address on the hub.

    `licence` is that of the metric, and stands at the head of its card from then on. The repository is made, and is private unless `public`; one that is there already gets a new version where `existing` says
    so. Raises TouchstoneError with what to do.
    """
    if not (folder / CARD_FILE).is_file() or not any(
        (folder / name).is_file() for name in (WEIGHTS_FILE, SHALLOW_FILE)
    ):
        raise TouchstoneError(
            f"{folder} holds no trained metric with its card. Name a folder that `cli.py train DATA --to FOLDER` wrote."
        )
    if not licence.strip():
        raise TouchstoneError(
            f"State the licence of the metric, as apache-2.0 or cc-by-4.0; the licences of what it learned from stand in {CARD_FILE}, and "
            "some do not let you choose."
        )
    card = folder / CARD_FILE
    # as the hub reads it (huggingface.co/docs/hub/model-cards), in place of an earlier one
    head = {
        **licence_fields(licence.strip()),
        "language": "en",
        "pipeline_tag": "text-classification",
        "tags": ["touchstone", "summarization", "factual-consistency"],
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True)
    text = _HEAD.sub("", card.read_text(encoding="utf-8"))
    card.write_text(f"---\n{front}---\n\n{text}", encoding="utf-8")
    return _send(folder, _PUSHED_FILES, repository, "model", public=public, existing=existing)


_HEAD = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)


def push_dataset(files: Mapping[str, bytes], repository: str, *, public: bool = False, existing: bool = False) -> str:
    """Send the files of a dataset, by their names, to a dataset repository, as `push` does a metric; its address on the hub."""
    with TemporaryDirectory() as place:
        for name, content in files.items():
            (Path(place) / name).write_bytes(content)
        return _send(Path(place), tuple(files), repository, "dataset", public=public, existing=existing)


def _send(
    folder: Path,
    names: Sequence[str],
    repository: str,
    kind: _Kind,
    *,
    public: bool,
    existing: bool,
) -> str:
    if repository.count("/") != 1:
        raise TouchstoneError(f"{repository!r} is no name of a repository. Write OWNER/NAME.")
    if not get_token():
        raise TouchstoneError(
            "No token of the hub is set. Set HF_TOKEN to one that may write, or log in with `hf auth login`, and push again."
        )
    api = HfApi()
    try:
        if not existing:
            api.create_repo(repository, repo_type=kind, private=not public)
        api.upload_folder(
            repo_id=repository,
            repo_type=kind,
            folder_path=folder,
            allow_patterns=list(names),
            commit_message=_COMMIT_MESSAGES[kind],
        )
    except (httpx2.HTTPError, OSError, ValueError, RuntimeError) as error:  # a large file's is inside a RuntimeError
        inside = error.__cause__
        raise TouchstoneError(
            _push_error_message(
                repository,
                api.endpoint,
                inside if isinstance(error, RuntimeError) and isinstance(inside, Exception) else error,
            )
        ) from error
    return f"{api.endpoint}/{'datasets/' if kind == 'dataset' else ''}{repository}"


def _push_error_message(repository: str, hub: str, error: Exception) -> str:
    """Message with the problem and what to do, the narrowest error first."""
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else 0
    by_status = {
        401: f"{hub} does not know the token. Set HF_TOKEN to a valid one that may write, and push again.",
        403: f"The token may not write to {repository}. Set HF_TOKEN to one that may, or name a repository of your own.",
        409: f"{repository} exists on {hub} already. Choose another name, or say that it is a new version of "
        "it: on a page by the box above the button, in the terminal by --existing.",
    }
    if status in by_status:
        return by_status[status]
    sentences: list[tuple[type[Exception], str]] = [
        (
            RepositoryNotFoundError,
            f"{hub} has no repository {repository!r}, or the token may not see it. Do not say that it is a new "
            "version of one that exists, and it is made.",
        ),
        (HfHubHTTPError, f"{hub} refused {repository} with status {status}. Wait and push again."),
        (
            HFValidationError,
            f"{repository!r} is no name of a repository. Write OWNER/NAME with letters, digits, - _ and .",
        ),
        (OfflineModeIsEnabled, "HF_HUB_OFFLINE forbids to push. Unset it and push again."),
        (httpx2.HTTPError, f"{hub} cannot be reached. Check the network and push again."),
        (
            ValueError,
            f"{hub} does not answer as a hub would: a log-in page of the network, perhaps. Open it in a browser.",
        ),
    ]
    unread = f"The files cannot be read or sent ({error}). Push again."
    return next((sentence for kind, sentence in sentences if isinstance(error, kind)), unread)
