"""On which pairs a new stress run works: bundled ones, that of Probe, those of a dataset or of a file."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import streamlit as st

from annotations.sources import examples as texts_of
from annotations.sources import samples as samples_of
from core.dataset import Refusal
from core.datasets.bundled import examples
from core.errors import TouchstoneError
from core.stress.picking import pick, sound, sources, whole
from core.stress.records import Source
from core.types import Example, Item
from pages.ui import services
from pages.ui.evaluate.choice import known_datasets
from pages.ui.evaluate.work import result_of
from pages.ui.plain import plain
from pages.ui.probe import pair as bench
from pages.ui.probe.loading import read_pairs

_OF_RUNS = {"run", "runline", "score"}
"""Tables that grow while nothing of any dataset changes."""
_MOST = 50  # pairs of a dataset, unless more are asked for


@dataclass(frozen=True, slots=True)
class Pairs:
    """So many pairs, what gives them for a seed, maybe from a database, and a key that tells them from others."""

    number: int
    drawn: Callable[[int], list[Source]]
    key: Hashable

    def sources(self, seed: int) -> dict[str, Source]:
        """By id, as a run holds them."""
        return {source.example.id: source for source in self.drawn(seed)}


def pairs_choice() -> Pairs:
    """The choice of where pairs come from, and of which."""
    ways: dict[str, Callable[[], Pairs]] = {
        "Bundled examples": _bundled,
        "The pair on Probe": _from_probe,
        "A dataset": _from_dataset,
        "A file": _from_file,
    }
    chosen = st.segmented_control("Pairs", list(ways), default="Bundled examples", key="stress-pairs", required=True)
    return ways[chosen]()


def _all(found: list[Source], *key: Hashable) -> Pairs:
    return Pairs(len(found), lambda _: found, key)


def _bundled() -> Pairs:
    originals = [item for item in examples() if not item.parent]
    domains = list(dict.fromkeys(item.domain for item in originals))
    chosen = st.pills("Domains", domains, selection_mode="multi", default=domains, key="stress-domains", wrap=True)
    return _all([Source.of(item) for item in originals if item.domain in chosen], "bundled", *chosen)


def _from_probe() -> Pairs:
    if "pair" not in st.session_state:
        st.caption("Nothing is open on Probe. Open a text there first.")
        return _all([])
    pair = bench.current()
    st.caption(plain(f"{pair.title or 'The pair'}: its summary before your edits."))
    example = Example(pair.example or "probe", pair.document, pair.original)
    return _all([Source(example, pair.document, pair.domain, pair.title)], pair.document, pair.original)


def _from_dataset() -> Pairs:
    known = known_datasets()
    if not known:
        st.caption("No dataset is here yet. Import one on Evaluate, or with `cli.py import`.")
        return _all([])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Dataset", known, key="stress-dataset", width=300)
        most = st.number_input("At most", 1, None, _MOST, key="stress-most", width=130, help="Drawn by the seed.")
    store = services.store()
    state = tuple(sorted((table, rows) for table, rows in store.counts().items() if table not in _OF_RUNS))
    found = result_of("Reading the dataset…", ("stress", name, state), lambda: whole(samples_of(store, name)))
    if found is None:
        return _all([])
    among = sound(found)
    if len(among) < len(found):
        keep = st.toggle(f"Leave out {len(found) - len(among)} labelled inconsistent", True, key="stress-sound")
        among = among if keep else found
    st.caption(f"{len(among)} summaries with their documents.")
    key = (name, state, most, len(among))
    return Pairs(min(most, len(among)), lambda seed: sources(pick(among, most, seed), texts_of(store, name)), key)


def _from_file() -> Pairs:
    file = st.file_uploader("Pairs with document and summary", type=["jsonl", "csv", "tsv"], key="stress-file")
    if file is None:
        return _all([])
    try:
        found = read_pairs(file.name, file.getvalue())
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return _all([])
    refused = [refusal for refusal in found if isinstance(refusal, Refusal)]
    if refused:
        st.text("\n".join(f"Line {refusal.line}: {refusal.reason}" for refusal in refused[:20]))
    return _all([Source.of(item) for item in found if isinstance(item, Item) and not item.parent], file.file_id)
