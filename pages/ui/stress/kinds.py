"""By which perturbations a new stress run works: one choice for each intent and form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.english.wordnet import is_here
from core.llm.endpoint import missing_endpoint
from core.perturbation import PERTURBATIONS, Intent, Perturbation
from pages.ui.plain import plain

_INTENTS: Mapping[Intent, tuple[str, str]] = {
    "preserving": ("Meaning kept", "A metric should stay where it is."),
    "breaking": ("Meaning broken", "A metric should move towards inconsistent."),
    "gaming": ("Gaming", "A metric should not move towards consistent."),
}


def kinds_choice() -> list[Perturbation]:
    """The kinds that are chosen; at first every one that needs no language model."""
    return [kind for intent in _INTENTS for kind in _of(intent)]


def _of(intent: Intent) -> list[Perturbation]:
    plugins = [plugin() for plugin in PERTURBATIONS if plugin.card.intent == intent]
    title, ideal = _INTENTS[intent]
    rules = [kind for kind in plugins if kind.card.form == "rule"]
    chosen = _choice(f"{title}, by rule", rules, rules, ideal)
    if any(kind.name == "synonyms" for kind in rules):
        st.caption(f"Synonyms come from {'WordNet' if is_here() else 'a bundled list: NLTK has no WordNet here'}.")
    prompts = [kind for kind in plugins if kind.card.form == "prompt"]
    if not prompts:
        return chosen
    missing = missing_endpoint()
    chosen += _choice(f"{title}, by a language model", prompts, [], ideal, disabled=bool(missing))
    if missing:
        st.caption(plain(missing))
    return chosen


def _choice(
    label: str, kinds: Sequence[Perturbation], default: Sequence[Perturbation], ideal: str, disabled: bool = False
) -> list[Perturbation]:
    by_spec = {kind.spec: kind for kind in kinds}
    chosen = st.pills(
        label,
        list(by_spec),
        selection_mode="multi",
        default=[kind.spec for kind in default],
        format_func=lambda spec: by_spec[spec].card.title,
        key=f"stress-{label}",
        help="\n".join(
            [plain(ideal), "", *(f"- **{plain(kind.card.title)}**: {plain(kind.card.does)}" for kind in kinds)]
        ),
        disabled=disabled,
        wrap=True,
    )
    return [by_spec[spec] for spec in chosen]
