"""Source of the pairs of a new stress run: bundled examples, Probe, a dataset or a file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from annotations.exchange.samples import load_samples, load_texts, stored_reference
from core.data import Refusal, bundled_items, format_dataset
from core.errors import TouchstoneError
from core.results import (
    ImportedVariants,
    Plan,
    Source,
    StressRun,
    build_sources,
    draw_sample,
    read_variants,
    stored_samples,
    without_inconsistent,
)
from core.types import Item
from pages.server import services
from pages.ui.evaluate.dataset_choice import known_datasets
from pages.ui.probe.pair import current_pair
from pages.ui.probe.pair_upload import read_uploaded_pairs
from pages.ui.probe.probe_state import probe_state
from pages.ui.results.run_choice import StressState, stress_state
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message

_RUN_TABLES = {"run", "runline", "score"}
"""Tables that grow while nothing of any dataset changes."""
_MAX_REFUSALS = 20
_DEFAULT_PAIRS = 50  # pairs of a dataset, unless more are asked for


@dataclass(frozen=True, slots=True)
class ChosenPairs:
    """So many pairs, what gives them for a seed, maybe from a database, and a key that tells them from others.

    `imported` are the variants of a table, which brings its own kinds; None where perturbations of ours make them. `dataset` is
    the version that they are of, "" for pairs of no imported dataset. `own` pairs are not those that come with Touchstone.
    """

    number: int
    draw: Callable[[int], list[Source]]
    key: Hashable
    imported: ImportedVariants | None = None
    dataset: str = ""
    own: bool = True

    def run(self, plan: Plan) -> StressRun:
        """The plan with its pairs, and with the variants that were imported."""
        run = StressRun(replace(plan, dataset=self.dataset), self.sources(plan.seed))
        return self.imported.fill(run) if self.imported else run

    def sources(self, seed: int) -> dict[str, Source]:
        """By id, as a run holds them."""
        return {source.example.id: source for source in self.draw(seed)}


PROBE_PAIR, OWN_FILE, TABLE_OF_VARIANTS = "The pair on Probe", "A file", "A table of variants"
PAIR_SOURCES = ("Bundled examples", PROBE_PAIR, "A dataset", OWN_FILE, TABLE_OF_VARIANTS)


def pairs_choice(ways: Sequence[str] = PAIR_SOURCES, default: str = PAIR_SOURCES[0]) -> ChosenPairs:
    """The choice of where pairs come from, and of which; a file that was just uploaded is taken, wherever it was."""
    if stress_state().takes_file:  # before the choice is drawn, as Streamlit sets none that is
        stress_state().takes_file = False
        stress_state().pairs = OWN_FILE
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.selectbox("Pairs", ways, ways.index(default), key=StressState.pairs.key, width=300)
        if way == PAIR_SOURCES[0]:
            pairs = _bundled_pairs()
    match way:
        case _ if way == PROBE_PAIR:
            if probe_state().pair is None:
                st.caption("Nothing is open on Probe. Open a text there first.")
                return _fixed_pairs([])
            pair = current_pair()
            st.caption(escape_markdown(f"{pair.title or 'The pair'}: its summary before your edits."))
            example = pair.as_example(pair.example or "probe", pair.original)
            source = Source(example, pair.document, pair.domain, pair.title)
            return _fixed_pairs([source], pair.document, pair.original)
        case "A dataset":
            return _dataset_pairs()
        case _ if way == TABLE_OF_VARIANTS:
            return _table_of_variants()
    own = _file_pairs()
    return own if way == OWN_FILE else pairs


def _bundled_pairs() -> ChosenPairs:
    originals = [item for item in bundled_items() if not item.parent]
    domains = list(dict.fromkeys(item.domain for item in originals))
    with st.popover("Domains", icon=":material/tune:", key="stress-domains-box"):
        selected = st.pills(
            "Domains, all where none is chosen", domains, selection_mode="multi", key="stress-domains", wrap=True
        )
    selected = selected or domains
    sources = [Source.of(item) for item in originals if item.domain in selected]
    return replace(_fixed_pairs(sources, "bundled", *selected), own=False)


def _fixed_pairs(sources: list[Source], *key: Hashable) -> ChosenPairs:
    return ChosenPairs(len(sources), lambda _: sources, key)


def _dataset_pairs() -> ChosenPairs:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Dataset", known_datasets(), key="stress-dataset", format_func=format_dataset, width=300)
        st.page_link("views/evaluate.py", label="Import another under Evaluate", icon=":material/database_upload:")
        limit = st.number_input(
            "At most", 1, None, _DEFAULT_PAIRS, key="stress-most", width=130, help="Drawn by the seed."
        )
    store = services.store()
    state = tuple(sorted((table, rows) for table, rows in store.counts().items() if table not in _RUN_TABLES))
    items = background_result(
        "Reading the dataset…", ("stress", name, state), lambda: stored_samples(load_samples(store, name))
    )
    if items is None:
        return _fixed_pairs([])
    candidates = without_inconsistent(items)
    if len(candidates) < len(items):
        keep = st.toggle(f"Leave out {len(items) - len(candidates)} labelled inconsistent", True, key="stress-sound")
        candidates = candidates if keep else items
    st.caption(f"{len(candidates)} summaries with their documents.")
    key = (name, state, limit, len(candidates))
    return ChosenPairs(
        min(limit, len(candidates)),
        lambda seed: build_sources(draw_sample(candidates, limit, seed), load_texts(store, name)),
        key,
        dataset=stored_reference(store, name),
    )


def _file_pairs() -> ChosenPairs:
    file = st.file_uploader(
        "Your own pairs, with document and summary",
        type=["jsonl", "csv", "tsv"],
        key=_FILE_KEY,
    )
    if file is None:
        return _fixed_pairs([])
    if (
        file.file_id != stress_state().own_file
    ):  # no callback: one is not called where the run before did not reach the field
        stress_state().own_file = file.file_id
        stress_state().takes_file = True
        st.rerun()
    try:
        entries = list(read_uploaded_pairs(file.name, file.getvalue()))
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return _fixed_pairs([])
    refused = [refusal for refusal in entries if isinstance(refusal, Refusal)]
    _refused_lines(refused)
    sources = [Source.of(item) for item in entries if isinstance(item, Item) and not item.parent]
    st.caption(f"{_count(len(sources), 'pair')} of {escape_markdown(file.name)}.")
    return _fixed_pairs(sources, file.file_id)


_FILE_KEY = "stress-file"


def _table_of_variants() -> ChosenPairs:
    """Variants that somebody else made, with what each kind is meant to do."""
    file = st.file_uploader(
        "Table of variants",
        type=["jsonl", "csv", "tsv"],
        key="stress-variants",
        help="With the columns document, original, variant, kind and intent: preserving (also harmless), breaking (also "
        "error) or gaming. Group and domain may be there too.",
    )
    if file is None:
        st.caption("Perturbations that were made elsewhere: document, original, variant, kind, intent.")
        return _fixed_pairs([])
    try:
        table = read_uploaded_variants(file.name, file.getvalue())
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return _fixed_pairs([])
    _refused_lines(table.refusals)
    st.caption(
        f"{_count(len(table.variants), 'variant')} of {len(table.sources)} "
        f"{'summary' if len(table.sources) == 1 else 'summaries'}, {_count(len(table.kinds), 'kind')}."
    )
    return ChosenPairs(len(table.sources), lambda _: [*table.sources], file.file_id, table)


def _refused_lines(refusals: Sequence[Refusal]) -> None:
    """Show which lines of a file are left out, and why."""
    if not refusals:
        return
    more = len(refusals) - _MAX_REFUSALS
    st.caption(f"{_count(len(refusals), 'line')} left out:")
    st.text("\n".join(f"Line {refusal.line}: {refusal.error}" for refusal in refusals[:_MAX_REFUSALS]))
    if more > 0:
        st.caption(f"… and {more} more.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def read_uploaded_variants(name: str, content: bytes) -> ImportedVariants:
    """The variants of an uploaded file. Raises TouchstoneError where it holds none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(name).name)
        path.write_bytes(content)
        return read_variants(path)
