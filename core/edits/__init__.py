"""Edits of summaries: perturbations, batteries of them, and edits that a language model proposes.

It imports `scoring` and what is below. A new perturbation is one file in `perturbations`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.edits.battery import (
        LAYOUT_BATTERY,
        NOT_RECORDED,
        STANDARD_BATTERY,
        Battery,
        battery_names,
        named_kinds,
        read_battery,
        standard_battery,
    )
    from core.edits.editing.batch import EditRequestTask, TrivialFilter, UnusedEdit, edited_pairs
    from core.edits.editing.claim_edits import EditableClaim, EditableClaims
    from core.edits.editing.corrections import BY_DOCUMENT, SuggestedCorrection, corrections, find_passage
    from core.edits.editing.edit_examples import read_edit_examples
    from core.edits.editing.editor import Editor
    from core.edits.editing.proposals import (
        EDITS_PER_REQUEST,
        INTENDED_VERDICT,
        AcceptedEdit,
        EditForm,
        Proposals,
        UnusedReason,
    )
    from core.edits.editing.sentence_alignment import sentence_origins
    from core.edits.editing.trivial import TrivialityJudgement, trivial_kind
    from core.edits.perturbation import (
        INTENTS,
        PERTURBATIONS,
        Intent,
        Perturbation,
        PerturbationCard,
        RulePerturbation,
        kind_title,
        refusal,
    )
    from core.edits.perturbations.fillers import Assertion, Filler, PhraseFiller, Placement
    from core.edits.perturbations.imported import IMPORTED
    from core.edits.perturbations.repeated import Repeated
    from core.edits.sanity import SANITY_SOURCES, Expectation, SanityPair, sanity_pairs
else:
    __getattr__ = open_face(__file__, __name__)
