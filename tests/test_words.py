"""Names and texts use the field's words: what an engineer would search for, not what needs translating."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.sources import FILES, ROOT, SHIPPED, listed, name_of, nodes, text

NEVER_IN_A_NAME = frozenset(
    "told foretold foreseen reckon reckoned mend mended docket casefile longform seat seats shelf lens talk talks desk "
    "sieve sieves sieved sifting sifted thoughts ledger addressee complaint".split()
)
"""Parts of identifiers and of file names: `format_…` for told, conversation for talk, evidence panel for lens, …"""

NEVER_A_NAME = frozenset({"said", "stands", "standing", "beside"})

ALLOWED = {
    ("core/scoring/nli_check.py", "said"): "stored in stress runs",
    ("core/results/runs/run_sentences.py", "said"): "read from stress runs",
    ("core/settings.py", "llm_thoughts"): "the former name of a setting, for one version",
}

PHRASES = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\banew\b": "again",
    r"\bof late\b": "recently",
    r"\breckon(s|ed|ing)?\b": "estimate",
    r"\bforetold\b|\bforeseen\b|\bforetell\b": "estimated",
    r"\bparted by\b": "separated by",
    r"\blikeliest\b": "most likely",
    r"\bfor want of\b": "without",
    r"\bput(s|ting)? (a question |it |them |questions )?down\b": "enqueue",
    r"\blie below\b|\blying below\b": "count as lower",
    r"\bledgers?\b": "spend",
    r"\baddressees?\b": "endpoint",
    r"\bdockets?\b": "write lock, queue",
    r"\bcasefiles?\b": "cases",
    r"\bsieves?\b": "filter",
    r"\bmodels that think\b": "reasoning models",
}
"""What no text of ours says, and what it says instead."""

_ANY_PHRASE = re.compile("|".join(PHRASES), re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_PROSE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_FOLDERS = {
    "core/models/prompts": "*.md",
    "annotations/campaigns/sets": "*.yaml",
    "docs": "**/*.md",
    "pages/ui/assets": "*.*",
}


def test_no_identifier_needs_translating() -> None:
    offenders = [
        f"{name_of(path)}: {name}"
        for path in SHIPPED
        for name in sorted({*names(path), *path.relative_to(ROOT).with_suffix("").parts})
        if (name_of(path), name) not in ALLOWED
        and (name in NEVER_A_NAME or NEVER_IN_A_NAME & {part.lower() for part in _WORD.findall(name)})
    ]
    assert not offenders, listed(offenders)


def test_no_text_needs_translating() -> None:
    offenders = [
        f"{place}: {match.group()!r}: say {instead!r}"
        for place, words in texts()
        for pattern, instead in PHRASES.items()
        for match in re.finditer(pattern, words, re.IGNORECASE)
    ]
    assert not offenders, listed(offenders)


def names(path: Path) -> Iterator[str]:
    """What a file defines, binds, takes or reads."""
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute):
            yield node.attr


def texts() -> Iterator[tuple[str, str]]:
    """Strings, docstrings and comments of files with one of the phrases, texts of prompts, question sets and components, prose."""
    for path in FILES:
        if path == Path(__file__) or not _ANY_PHRASE.search(text(path)):  # to read a file by tokens takes long
            continue
        for token in tokenize.generate_tokens(io.StringIO(text(path)).readline):
            if token.type in (tokenize.STRING, tokenize.COMMENT):
                yield f"{name_of(path)}:{token.start[0]}", token.string
    others = [file for folder, pattern in _FOLDERS.items() for file in sorted((ROOT / folder).glob(pattern))]
    for path in [*others, *(ROOT / name for name in _PROSE)]:
        for number, line in enumerate(text(path).splitlines(), start=1):
            yield f"{name_of(path)}:{number}", line


NOT_THINGS = frozenset("one found known kept asked chosen given left wanted drawn".split())
"""Names that say how a value came about, or that there is one, and not what it is: `row`, `pair`, `cached` are things."""

MOST_NOT_THINGS = 0.001
"""The largest share of assigned names that may be among them: fields that are stored by these names."""


def test_assigned_names_are_things() -> None:
    assigned = [
        (f"{name_of(path)}:{node.lineno}", node.id if isinstance(node, ast.Name) else node.arg)
        for path in SHIPPED
        for node in nodes(path)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    offenders = [f"{place}: {name}" for place, name in assigned if name in NOT_THINGS]
    assert len(offenders) <= MOST_NOT_THINGS * len(assigned), listed(offenders)


MOST_FOLDERS_OF_A_NAME = 3
"""The largest number of folders in which files may have the same name: an importer, a metric and a paper of one benchmark."""


def test_each_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in SHIPPED:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{name_of(path)}:{node.lineno}")
    doubled = [f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1]
    assert not doubled, listed(doubled)


def test_few_files_have_the_same_name() -> None:
    folders: dict[str, list[str]] = defaultdict(list)
    for path in SHIPPED:
        if path.name != "__init__.py":
            folders[path.name].append(name_of(path.parent))
    repeated = [f"{name}: {', '.join(of)}" for name, of in folders.items() if len(of) > MOST_FOLDERS_OF_A_NAME]
    assert not repeated, listed(repeated)
