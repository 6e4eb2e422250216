"""What a new stress run is to do: on which pairs, by which perturbations, for which metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from core.dataset import Refusal
from core.datasets.bundled import examples
from core.english.wordnet import is_here
from core.errors import TouchstoneError
from core.listing import as_they_come
from core.llm.endpoint import missing_endpoint
from core.metric import METRICS
from core.perturbation import PERTURBATIONS, Intent, Perturbation
from core.stress.records import Plan, Run, Source
from core.types import Example, Item
from pages.ui import pair as bench
from pages.ui import services
from pages.ui.loading import read_pairs
from pages.ui.plain import plain
from pages.ui.stress_guard import chosen_guard, guard_choice
from pages.ui.stress_runs import begin

_INTENTS: dict[Intent, tuple[str, str]] = {
    "preserving": ("Meaning kept", "A metric should stay where it is."),
    "breaking": ("Meaning broken", "A metric should move towards inconsistent."),
    "gaming": ("Gaming", "A metric should not move towards consistent."),
}


def setup() -> None:
    """The form of a new run and its button."""
    left, right = st.columns(2, gap="large")
    with left:
        sources = _pairs()
        st.multiselect(
            "Metrics",
            [plugin.name for plugin in METRICS],
            default=[line.name for line in as_they_come(services.engine().pool)],
            key="stress-metrics",
            accept_new_options=True,
            help="A name, or one with settings as on the command line: type it and press Enter.",
        )
        guard_choice()
        with st.container(horizontal=True):
            st.text_input("Name of the run", f"Stress test {datetime.now():%Y-%m-%d %H:%M:%S}", key="stress-name")
            st.number_input("Seed", 0, None, 0, key="stress-seed", width=120, help="The same seed, the same variants.")
    with right:
        for intent in _INTENTS:
            _kinds(intent)
    _run_button(sources)


def _pairs() -> list[Source]:
    ways: dict[str, Callable[[], list[Source]]] = {
        "Bundled examples": _bundled,
        "The pair on Probe": _from_probe,
        "A file": _from_file,
    }
    chosen = st.segmented_control("Pairs", list(ways), default="Bundled examples", key="stress-pairs", required=True)
    return ways[chosen]()


def _bundled() -> list[Source]:
    originals = [item for item in examples() if not item.parent]
    domains = list(dict.fromkeys(item.domain for item in originals))
    chosen = st.pills("Domains", domains, selection_mode="multi", default=domains, key="stress-domains")
    return [Source.of(item) for item in originals if item.domain in chosen]


def _from_probe() -> list[Source]:
    if "pair" not in st.session_state:
        st.caption("Nothing is open on Probe. Open a text there first.")
        return []
    pair = bench.current()
    st.caption(plain(f"{pair.title or 'The pair'}: its summary before your edits."))
    return [
        Source(Example(pair.example or "probe", pair.document, pair.original), pair.document, pair.domain, pair.title)
    ]


def _from_file() -> list[Source]:
    file = st.file_uploader("Pairs with document and summary", type=["jsonl", "csv", "tsv"], key="stress-file")
    if file is None:
        return []
    try:
        found = read_pairs(file.name, file.getvalue())
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return []
    refused = [refusal for refusal in found if isinstance(refusal, Refusal)]
    if refused:
        st.text("\n".join(f"Line {refusal.line}: {refusal.reason}" for refusal in refused[:20]))
    return [Source.of(item) for item in found if isinstance(item, Item) and not item.parent]


def _kinds(intent: Intent) -> None:
    plugins = _of(intent)
    title, ideal = _INTENTS[intent]
    rules = {kind.spec: kind for kind in plugins if kind.card.form == "rule"}
    _choice(f"{title}, by rule", rules, list(rules), ideal)
    if "synonyms" in rules:
        st.caption(f"Synonyms come from {'WordNet' if is_here() else 'a bundled list: NLTK has no WordNet here'}.")
    prompts = {kind.spec: kind for kind in plugins if kind.card.form == "prompt"}
    if prompts:
        missing = missing_endpoint()
        _choice(f"{title}, by a language model", prompts, [], ideal, disabled=bool(missing))
        if missing:
            st.caption(plain(missing))


def _of(intent: Intent) -> list[Perturbation]:
    return [plugin() for plugin in PERTURBATIONS if plugin.card.intent == intent]


def _choice(
    label: str, kinds: dict[str, Perturbation], default: Sequence[str], help: str, disabled: bool = False
) -> None:
    st.pills(
        label,
        list(kinds),
        selection_mode="multi",
        default=default,
        format_func=lambda spec: kinds[spec].card.title,
        key=f"stress-{label}",
        help=help,
        disabled=disabled,
        wrap=True,
    )


def _run_button(sources: Sequence[Source]) -> None:
    state = st.session_state
    chosen = {spec for key, specs in state.items() if _is_choice(key) for spec in specs or []}
    kinds = [kind.spec for intent in _INTENTS for kind in _of(intent) if kind.spec in chosen]
    metrics = state["stress-metrics"]
    st.button(
        f"Run: {len(sources)} pairs × {len(kinds)} perturbations × {len(metrics)} metrics",
        icon=":material/play_arrow:",
        type="primary",
        key="stress-go",
        disabled=not (sources and kinds and metrics),
        on_click=_begin,
        args=(sources, kinds, metrics),
    )
    if problem := state.pop("stress-problem", ""):
        st.error(plain(problem), icon=":material/error:")


def _is_choice(key: str | int) -> bool:
    return str(key).startswith(tuple(f"stress-{title}" for title, _ in _INTENTS.values()))


def _begin(sources: Sequence[Source], kinds: Sequence[str], metrics: Sequence[str]) -> None:
    state = st.session_state
    try:
        plan = Plan.of(
            state["stress-name"],
            map(PERTURBATIONS.parse, kinds),
            map(METRICS.parse, metrics),
            state["stress-seed"],
            chosen_guard(),
        )
        begin(Run(plan, {source.example.id: source for source in sources}))
    except TouchstoneError as error:
        state["stress-problem"] = str(error)
