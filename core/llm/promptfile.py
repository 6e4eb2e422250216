"""Prompt files: ours, those that replace them, and what is wrong with one, by line."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from core.errors import BadSettingError
from core.prompt import PLACE, Prompt
from core.settings import Settings

FOLDER = Path(__file__).parents[1] / "prompts"

_DASHES = "---"
_NEEDED = ("version", "variables", "paper")
_KNOWN = (*_NEEDED, "also", "title", "does")


def bundled_prompt(name: str) -> Prompt:
    """The prompt that comes with Touchstone."""
    return read_prompt(FOLDER / f"{name}.md")


def prompt(name: str, known: Collection[str]) -> Prompt:
    """The prompt that is used now: the file of the folder of replacements where it has one, else ours.

    It is read at every call, so that an edited file counts at once. `known` are the variables for which there are texts.
    Raises BadSettingError, with file and line, for a file that cannot be used.
    """
    folder = replacements()
    file = folder / f"{name}.md" if folder else None
    if file is None or not file.is_file():
        return bundled_prompt(name)
    return read_replacement(_text(file), file, known)


def replacements() -> Path | None:
    """The folder of prompts that replace ours; None where TOUCHSTONE_PROMPTS_DIR is set to nothing.

    By default it need not exist. Raises BadSettingError for one that was named and does not.
    """
    settings = Settings.read()
    named = settings.prompts_dir.strip()
    folder = Path(named).expanduser()
    if named and "prompts_dir" in settings.model_fields_set and not folder.is_dir():
        raise BadSettingError(f"TOUCHSTONE_PROMPTS_DIR is {named!r}, which is no folder. Make it, or unset it.")
    return folder if named else None


def read_prompt(file: Path) -> Prompt:
    """Read a prompt file; raises BadSettingError with file and line for what is wrong with it."""
    return _parsed(_text(file), file)


def read_replacement(text: str, file: Path, known: Collection[str]) -> Prompt:
    """Read what replaces ours of the same name: it may read the texts that are known, and must read what ours reads.

    Raises BadSettingError with file and line; the text need not stand in the file yet.
    """
    found, line = _parsed(text, file), _line_of("variables", text)
    for name in found.variables:
        if name not in known:
            raise _bad(file, line, f"there is no text for the variable {name!r}. Known: {', '.join(sorted(known))}.")
    for name in bundled_prompt(found.name).variables:
        if name not in found.variables:
            raise _bad(file, line, f"the variable {name!r} is missing: without it the model would not see that text.")
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettingError(f"The prompt file {file} cannot be read as UTF-8 text: {error}.") from error


def _parsed(text: str, file: Path) -> Prompt:
    lines = text.splitlines()
    end = _end_of_head(file, lines)
    head = _head(file, lines[:end])
    variables = _listed(head["variables"])
    parts = _parts(file, lines, end)
    _places_fit(file, lines, end, variables)
    told = {name: head.get(name, "") for name in ("version", "paper", "title", "does")}
    also = _listed(head.get("also", ""))
    return Prompt(name=file.stem, variables=variables, system=parts["System"], user=parts["User"], also=also, **told)


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())


def _line_of(key: str, text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(key))


def _bad(file: Path, line: int, problem: str) -> BadSettingError:
    return BadSettingError(f"The prompt file {file}, line {line}: {problem}")


def _end_of_head(file: Path, lines: list[str]) -> int:
    """The index of the line of dashes under the head."""
    if not lines or lines[0].strip() != _DASHES:
        raise _bad(file, 1, f"it must begin with a line of three dashes, then {', '.join(_NEEDED)}.")
    for index, line in enumerate(lines[1:], 1):
        if line.strip() == _DASHES:
            return index
    raise _bad(file, len(lines), "the head is not closed by a second line of three dashes.")


def _head(file: Path, lines: list[str]) -> dict[str, str]:
    head: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        key, colon, value = (piece.strip() for piece in line.partition(":"))
        if line.strip() and (not colon or key not in _KNOWN or key in head):
            raise _bad(file, number, f"expected one of {', '.join(_KNOWN)}, each once as `name: text`; got {line!r}.")
        head |= {key: value} if line.strip() else {}
    for key in _NEEDED:
        if not head.get(key):
            raise _bad(file, len(lines) + 1, f"the head does not say {key!r}.")
    return head


def _parts(file: Path, lines: list[str], end: int) -> dict[str, str]:
    """The texts under the headings, which come in this order."""
    starts = [index for index, line in enumerate(lines) if index > end and line.strip() in {"# System", "# User"}]
    if [lines[index].strip() for index in starts] != ["# System", "# User"]:
        raise _bad(file, (starts or [end])[-1] + 1, "after the head come `# System` and then `# User`, each once.")
    if before := [index for index in range(end + 1, starts[0]) if lines[index].strip()]:
        raise _bad(file, before[0] + 1, "this text stands before `# System`, where nobody reads it.")
    ends = [starts[1], len(lines)]
    parts = ["\n".join(lines[start + 1 : stop]).strip() for start, stop in zip(starts, ends, strict=True)]
    for start, part in zip(starts, parts, strict=True):
        if not part:
            raise _bad(file, start + 1, "there is nothing under this heading.")
    return dict(zip(("System", "User"), parts, strict=True))


def _places_fit(file: Path, lines: list[str], end: int, variables: tuple[str, ...]) -> None:
    used: set[str] = set()
    for number, line in enumerate(lines[end + 1 :], end + 2):
        names = PLACE.findall(line)
        if "{{" in PLACE.sub("", line):
            raise _bad(file, number, "a place for a text is written {{name}}, in letters and without blanks.")
        for name in names:
            if name not in variables:
                raise _bad(file, number, f"{{{{{name}}}}} is not among the variables: {', '.join(variables)}.")
        used |= set(names)
    for name in variables:
        if name not in used:
            raise _bad(file, end + 1, f"the variable {name!r} stands nowhere in the text as {{{{{name}}}}}.")
