"""The commands of README and of the guides run as printed, those of their workflows too, in the folder that `examples` writes, without a network and a key."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from tests.sources import ROOT
from tests.unit.command_line import done, run

pytestmark = pytest.mark.slow

PAGES = [
    ROOT / "README.md",
    *(page for part in ("start", "guides", "explained") for page in (ROOT / "docs" / part).glob("*.md")),
]
GUIDES = [page for page in sorted(PAGES) if re.search(r"^python cli.py ", page.read_text("utf-8"), re.MULTILINE)]

WITHOUT_END = {"run", "serve", "mcp"}
DONE = {"examples"}
SLOW = {"audit", "train", "draw"}
"""Minutes; their own tests run them on fewer pairs."""
NEEDS = {
    r"direct-assessment|weighted-assessment|^(judge|explain|endpoints)\b|grades\.jsonl": "an endpoint",
    r"OWNER/|hub|MoritzLaurer|back-translation|minicheck|questeval|unieval|fenice|frameworks\[|our-nli": "weights or a package",
    r"models/|model\.(gguf|tar)|FOLDER|\[checkpoint=": "a folder of weights",
    r"bump|frank|summexecedit|summedits|factualnlg|longsciverify": "a benchmark",
    r"\b[A-Z]{4,}\b|\bown[12]\b|report\.toml|services\.toml|team\.csv|log\.jsonl|\brun[12]\.|few-|our labels": "something of yours",
    r"^study drift": "no drift: there is a status for it",
    r"my[-_]metric|capitals|Harbour|Boats|results\b|blocks\b.*\$": "what a part of the page makes that is not a command",
}
"""Needs of a line that nobody has met beforehand, by a pattern of it: such a line may refuse, in a sentence."""


def commands(guide: Path) -> Iterator[list[str]]:
    """The words of each line of `cli.py` in the guide's blocks, and of `touchstone` in those of a workflow, without its comment."""
    # every fence is matched, as the end of one in another language looks like the beginning of one in none
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", guide.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            command = re.match(r"(?:python cli\.py| *- (?:run: )?touchstone) (.+)", line)
            if command and language in {"", "yaml"}:
                yield shlex.split(command[1], comments=True)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_its_commands_run_as_printed_or_say_what_is_missing(
    guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'labels.db'}")
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_METRICS_DIR", str(tmp_path / "metrics"))
    monkeypatch.setenv("TOUCHSTONE_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done("examples", ".")
    done("import", "bundled")  # whoever upgrades or exports has a database
    failed = []
    for words in commands(guide):
        line = shlex.join(words)
        needs = next((need for pattern, need in NEEDS.items() if re.search(pattern, line)), "")
        if words[0] in WITHOUT_END | DONE | SLOW:
            continue
        result = run(*words)
        said = isinstance(result.exception, TouchstoneError | SystemExit | type(None))
        if not said or (result.exit_code and not needs):
            failed.append(f"{line}: {result.exception!r} {result.output[-300:]}")
    assert not failed, "\n".join(failed)
