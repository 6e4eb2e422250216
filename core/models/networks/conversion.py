"""Models as their authors published them, made into folders of transformers once: archives of AllenNLP, folders of pickles, GGUF files.

Of an archive only files of known names are taken out, each under its own name: no path in it decides where anything is
written.
"""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from transformers import BartConfig, BartForConditionalGeneration

from core.errors import LoadError, TouchstoneError
from core.models.networks.gguf_file import SUFFIX, convert_gguf
from core.models.networks.tokenizer import load_backend
from core.models.weights.weight_files import TOKENIZER_FILES, read_json_object
from core.models.weights.weights import read_pickle, write_weights

ALLENNLP_WEIGHTS, PICKLE = "weights.th", "pytorch_model.bin"
_SMALL_FILES = (
    *TOKENIZER_FILES,
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)
_MARKS = ("<m>", "</m>")


def convert(source: Path, folder: Path, backbone: Callable[[str], Path]) -> str:
    """Make a folder as transformers saves it from an archive or folder of another form; the sentence says what it was.

    `backbone` gives the folder with configuration and tokenizer of a named model, which archives of AllenNLP lack. Raises
    LoadError, and TouchstoneError where the folder holds something already; a failure leaves no folder.
    """
    if folder.exists() and any(folder.iterdir()):
        raise TouchstoneError(f"{folder} is not empty. Name a folder that does not exist yet, or empty it.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, prefix=".converting-") as name:
        taken, made = Path(name) / "taken", Path(name) / "made"
        taken.mkdir()
        made.mkdir()
        files = [source] if source.suffix == SUFFIX else []
        if not files and source.is_dir():
            files = sorted(source.glob(f"*{SUFFIX}"))
        message = convert_gguf(files[0], made) if len(files) == 1 else _from_archive(source, taken, made, backbone)
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    return message


def _from_archive(source: Path, taken: Path, made: Path, backbone: Callable[[str], Path]) -> str:
    # of several files of one name, that of the outermost folder comes last and stays
    names = {*_SMALL_FILES, ALLENNLP_WEIGHTS, PICKLE}
    with _members(source) as members:
        for name in sorted(members, key=lambda name: -len(PurePosixPath(name).parts)):
            if PurePosixPath(name).name in names:
                with members[name]() as content, (taken / PurePosixPath(name).name).open("wb") as file:
                    shutil.copyfileobj(content, file)
    if (taken / ALLENNLP_WEIGHTS).is_file():
        return _from_allennlp(taken, made, backbone)
    if not (taken / "config.json").is_file() or not (taken / PICKLE).is_file():
        raise LoadError(
            f"There is neither config.json with {PICKLE} nor {ALLENNLP_WEIGHTS} in it. Name the archive as its authors "
            "publish it, or the folder that was unpacked from it."
        )
    write_weights(made / "model.safetensors", read_pickle(taken / PICKLE), {})
    for name in _SMALL_FILES:
        if (taken / name).is_file():
            shutil.copyfile(taken / name, made / name)
    return f"{PICKLE} of transformers is model.safetensors now."


def _from_allennlp(taken: Path, made: Path, backbone: Callable[[str], Path]) -> str:
    """The question generator of QAEval: a BART under a prefix, whose vocabulary has two marks more."""
    settings = read_json_object(taken / "config.json").get("model")
    name = settings.get("model_name") if isinstance(settings, dict) else None
    if not isinstance(name, str):
        raise LoadError(
            "The archive's config.json names no model.model_name, so it is no question generator of QAEval."
        )
    base = backbone(name if "/" in name else f"facebook/{name}")
    state = {key.removeprefix("bart."): tensor for key, tensor in read_pickle(taken / ALLENNLP_WEIGHTS).items()}
    if "model.shared.weight" not in state:
        raise LoadError("The archive has no weight bart.model.shared.weight, so it is no question generator of QAEval.")
    tokenizer = load_backend(base)
    tokenizer.add_tokens(list(_MARKS))

    rows = len(state["model.shared.weight"])
    if tokenizer.get_vocab_size() != rows:
        raise LoadError(
            f"The archive has {rows} tokens, and {name} with the marks {tokenizer.get_vocab_size()}. Set --backbone to the "
            "model that the archive was trained from."
        )

    network = BartForConditionalGeneration(
        BartConfig.from_dict(
            {**read_json_object(base / "config.json"), "vocab_size": len(state["model.shared.weight"])}
        )
    )
    try:
        missing = network.load_state_dict(state, strict=False).missing_keys
    except RuntimeError as error:
        raise LoadError(
            f"The archive's weights are not those of {name}: {str(error).splitlines()[-1].strip()}"
        ) from error
    if lacking := [key for key in missing if "embed_tokens" not in key and key != "lm_head.weight"]:
        raise LoadError(f"The archive lacks {len(lacking)} weights of {name} ({', '.join(lacking[:3])}). Get it again.")
    network.tie_weights()
    network.save_pretrained(made)
    tokenizer.save(str(made / "tokenizer.json"))
    return f"The weights of AllenNLP are a BART of transformers now, with the tokenizer of {name} and the marks {' and '.join(_MARKS)}."


@contextmanager
def _members(source: Path) -> Iterator[Mapping[str, Callable[[], IO[bytes]]]]:
    """Openers of the files of a folder, tar or zip archive, by their names."""
    if source.is_dir():
        paths = [path for path in source.rglob("*") if path.is_file()]
        yield {str(path.relative_to(source)): (lambda path=path: path.open("rb")) for path in paths}  # type: ignore[misc]  # mypy infers no type for the default
        return
    try:
        if zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                yield {name: (lambda name=name: archive.open(name)) for name in archive.namelist() if name[-1] != "/"}  # type: ignore[misc]  # as above
            return
        with tarfile.open(source) as tar:
            files = [member for member in tar.getmembers() if member.isfile()]
            yield {member.name: (lambda member=member: tar.extractfile(member)) for member in files}  # type: ignore[misc]  # as above
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise LoadError(f"{source} is not a folder, nor a readable tar or zip archive ({error}).") from error
