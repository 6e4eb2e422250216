"""The table of what computes as version 0.2.0 did: `python -m tests.old_code [NAME …]`.

Without names it lists the entries whose definitions have changed since. With names it writes down that these compute the same
numbers still: compare them first. An entry whose numbers have moved is deleted from the table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from core.base.code_version import Root, adapter_root, class_root
from core.models import adapters
from core.scoring.claim import DECOMPOSERS
from core.scoring.code_of_0_2_0 import TABLE, definitions_hash, table_key
from core.scoring.metric import METRICS
from core.scoring.plugins.function_metric import PluginMetric


def every_root() -> Iterator[Root]:
    """The metrics and decomposers of core, the bases of metrics that are made at run time, and the adapters."""
    plugins: list[type[object]] = [*METRICS, *DECOMPOSERS, *_subclasses(PluginMetric)]
    yield from {class_root(plugin) for plugin in plugins if plugin.__module__.startswith("core.")}
    yield from (adapter_root(file.stem) for file in Path(adapters.__path__[0]).glob("*.py") if file.stem != "__init__")


def _subclasses(above: type[object]) -> Iterator[type[object]]:
    for below in above.__subclasses__():
        yield below
        yield from _subclasses(below)


def changed_entries() -> dict[str, str]:
    """The present hash of each entry of the table that has another one."""
    entries = json.loads(TABLE.read_text(encoding="utf-8"))["roots"]
    present = {table_key(root): definitions_hash(root) for root in every_root() if table_key(root) in entries}
    return {name: hash for name, hash in sorted(present.items()) if hash != entries[name]["code"]}


def main(names: list[str]) -> None:
    changed = changed_entries()
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    for name in names or changed:
        sys.stdout.write(f"{name}: {table['roots'][name]['code']} → {changed.get(name, 'as it is')}\n")
    for name in changed.keys() & names:
        table["roots"][name]["code"] = changed[name]
    if names:
        TABLE.write_text(format_table(table), encoding="utf-8")


def format_table(table: dict[str, dict[str, object]]) -> str:
    """JSON with a line for each file and each root, so that a change shows as one."""
    parts = []
    for part, entries in table.items():
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(entry, sort_keys=True)}" for name, entry in entries.items()
        )
        parts.append(f' "{part}": {{\n{lines}\n }}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
