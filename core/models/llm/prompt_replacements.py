"""The prompts of Touchstone and the files that replace them: listed, written, archived and reverted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from core.errors import BadSettingError, UnknownNameError
from core.models.llm.prompts import PROMPTS_FOLDER, Prompt, bundled_prompt, read_replacement, replacements_folder

_ARCHIVE_FOLDER = "earlier"
"""The folder, inside that of the replacements, where what was replaced or taken back is kept."""


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """One prompt by its name: our file, the one in its place where there is one, and what is used of them.

    `error` says why the one in its place cannot be used: until it is fixed this prompt cannot be used.
    """

    bundled: Prompt
    text: str
    replacement: str | None = None
    active: Prompt | None = None
    error: str = ""

    @property
    def name(self) -> str:
        return self.bundled.name

    @property
    def known(self) -> tuple[str, ...]:
        """The texts that a prompt of this name can read."""
        return (*self.bundled.variables, *self.bundled.also)


def prompt_names() -> list[str]:
    return sorted(file.stem for file in PROMPTS_FOLDER.glob("*.md"))


def prompt_entry(name: str) -> PromptEntry:
    """Entry of a prompt. Raises UnknownNameError, and BadSettingError where the folder or a file cannot be read."""
    if name not in prompt_names():
        raise UnknownNameError("prompt", name, prompt_names())
    ours, text = bundled_prompt(name), (PROMPTS_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    file = _replacement_file(name)
    if file is None or not file.is_file():
        return PromptEntry(ours, text, active=ours)
    mine = file.read_text(encoding="utf-8-sig", errors="replace")
    entry = PromptEntry(ours, text, mine)
    try:
        return PromptEntry(ours, text, mine, active=read_replacement(mine, Path(file.name), entry.known))
    except BadSettingError as error:
        return PromptEntry(ours, text, mine, error=str(error))


def replace_prompt(name: str, text: str) -> Prompt:
    """Put a text in the place of our file; what was there before is kept under `earlier`.

    Raises BadSettingError, with the line, for a text that cannot be used, one with our version, and where there is no
    folder to write to; nothing is changed then.
    """
    before, file = prompt_entry(name), _replacement_file(name)
    if file is None:
        raise BadSettingError("TOUCHSTONE_PROMPTS_DIR is set to nothing. Set it to a folder to keep prompts in.")
    text = "\n".join(text.strip().splitlines()) + "\n"
    new = read_replacement(text, Path(file.name), before.known)
    if new.version == before.bundled.version:
        raise BadSettingError(
            f"The version is {new.version}, which is that of ours. Write another one into the head, as "
            f"`version: {new.version}-mine`: it stands in every signature."
        )
    if text != before.replacement:
        _archive(file)
        _write_atomically(file, text)
    return new


def revert_prompt(name: str) -> None:
    """Use our file again; what was in its place is kept under `earlier`."""
    file = _replacement_file(name)
    if file and file.is_file():
        _archive(file)
        file.unlink()


def _replacement_file(name: str) -> Path | None:
    folder = replacements_folder()
    return folder / f"{name}.md" if folder else None


def _archive(file: Path) -> None:
    """Copy the file in the place of ours, where there is one, under a number of its own."""
    if not file.is_file():
        return
    folder = file.parent / _ARCHIVE_FOLDER
    copies = len(list(folder.glob(f"{file.stem}-*.md")))
    _write_atomically(
        folder / f"{file.stem}-{copies + 1:03}.md", file.read_text(encoding="utf-8-sig", errors="replace")
    )


def _write_atomically(file: Path, text: str) -> None:
    """All of it or nothing: a prompt is read whenever somebody asks."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as new:
            new.write(text)
        os.replace(new.name, file)
    except OSError as error:
        raise BadSettingError(f"{file} cannot be written: {error.strerror}. Set TOUCHSTONE_PROMPTS_DIR.") from error
