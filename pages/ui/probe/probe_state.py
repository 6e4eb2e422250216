"""State of the Probe page: the pair with its history, what was asked of metrics and models, and its widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.store.records import ExplanationFlaw, Grade, LabelRecord
from core.data.dataset import Refusal
from core.edits.editing.batch import EditRequestTask
from core.edits.editing.claim_edits import EditableClaims
from core.edits.editing.editor import Editor
from core.edits.editing.proposals import EditForm
from core.edits.perturbation import Perturbation
from core.scoring.engine.conversation import CellKey, Request, Task
from core.scoring.engine.engine import ConversationTask
from core.types import UNSTATED, ClaimList, Context, Edit, ErrorType, Example, Intention, Item, Outcome, Verdict
from pages.ui.probe.board_rows import LastShown
from pages.ui.probe.document_reading import DocumentReading
from pages.ui.shared.pair_link import PinnedEdit
from pages.ui.shared.session_state import WidgetValue, page_state


@dataclass(frozen=True, slots=True)
class Pair:
    """Pair that was loaded, and the edits that somebody declared as units with an explanation.

    `example` is the id that links carry: of a bundled example, of a kept pair, or empty for a text not kept yet.
    `saved` are the scores of a kept pair, whose edited summary was `kept`.
    """

    example: str
    title: str
    domain: str
    source: str
    document: str
    original: str
    declared: tuple[Edit, ...] = ()
    saved: tuple[Outcome, ...] = ()
    kept: str = ""
    contexts: tuple[Context, ...] = ()
    question: str = ""

    def as_example(self, id: str, summary: str) -> Example:
        """A summary of the document, as metrics read it."""
        return Example(id, self.document, summary, self.contexts, self.question)


@dataclass(frozen=True, slots=True)
class VariantRequest:
    """Variant that a model is writing, and the text that it is of."""

    perturbation: Perturbation
    text: str
    task: ConversationTask[list[Edit]]


@dataclass(frozen=True, slots=True)
class ClaimsRequest:
    """The claims that are being found."""

    task: ConversationTask[ClaimList]


@dataclass(eq=False)
class ProbeState:
    """One session on Probe; other pages open pairs there and add metrics to its board."""

    # the pair and its history
    pair: Pair | None = None
    known_text: str = ""
    undo_texts: list[str] = field(default_factory=list)
    redo_texts: list[str] = field(default_factory=list)
    draft_id: str = field(default_factory=lambda: uuid4().hex)
    draft_saved: bool = False
    opened: tuple[str, str] | None = None  # the id in the address and the edited text that it opens
    meant: Intention = UNSTATED
    times_meant: int = 0  # how often that was said by something else than its fields, which then begin again
    pinned: tuple[PinnedEdit, ...] = ()
    claims: EditableClaims | None = None
    older_draft: str = ""  # what the same person did to the example before, where a link opened that again

    # the metrics by their specs, what was asked of them, and what they last showed
    metrics: list[str] | None = None
    waits: Mapping[str, bool] = field(default_factory=dict)
    asked_texts: tuple[Example, ...] = ()
    asked_specs: frozenset[str] = frozenset()
    score_all: bool = False
    metrics_opened: bool = False  # whether their list was opened in this session
    request: Request | None = None
    timed: dict[CellKey, Task] = field(default_factory=dict)
    last_shown: dict[str, LastShown] = field(default_factory=dict)

    # what language models were asked for
    variant_request: VariantRequest | None = None
    claims_request: ClaimsRequest | None = None
    claims_problem: str = ""
    claims_problem_summary: str = ""  # the text whose claims could not be found
    claims_asked: ClaimList | None = None  # those that were scored by metrics which wait for a press
    edit_request: EditRequestTask | None = None
    edit_count_drawn: int | None = None
    edit_samples: Mapping[tuple[Example, Editor], int] = field(default_factory=dict)

    # forms: their problems, and what was read or saved last
    spec_problem: str = ""
    upload_problem: str = ""
    context_problem: str = ""
    question_of: Pair | None = None  # the pair whose question the field shows
    uploaded: Sequence[Item | Refusal] = ()
    long_document: str = ""  # of a file, where it is too long for the field
    reading: DocumentReading | None = None  # a PDF that is being read, or whose reading was cancelled
    json_problem: str = ""
    json_places: Sequence[str] = ()
    json_record: int = 0
    explanation_of_edits: str | None = None
    saved_record: LabelRecord | None = None
    kept: tuple[str, str] | None = None  # the id of the pair that was kept last, and its document
    save_id: str = ""

    # the toolbar
    example = WidgetValue[str]("example", "")
    edit_menu_open = WidgetValue[bool]("edit-menu-open", False)
    upload_open = WidgetValue[bool]("upload-open", False)
    typed_spec = WidgetValue[str]("spec", "")
    metric_with_settings = WidgetValue[str | None]("form-of", None)
    chosen_of_family = WidgetValue[list[str]]("chosen", [])
    fast_specs = WidgetValue[list[str]]("fast", [])
    upload = WidgetValue[UploadedFile | None]("upload", None)
    uploaded_id = WidgetValue[str | None]("uploaded-id", None)
    uploaded_words = WidgetValue("uploaded-words", "")
    pasted_document = WidgetValue[str]("pasted-document", "")
    pasted_summary = WidgetValue[str]("pasted-summary", "")
    context_name = WidgetValue[str]("context-name", "")
    context_text = WidgetValue[str]("context-text", "")
    question = WidgetValue[str]("question", "")

    # the tabs of edits
    edit_json = WidgetValue[str]("edit-json", "")
    edit_explanation = WidgetValue[str]("why", "")
    intended = WidgetValue[Verdict | None]("intended", None)
    intended_error_type = WidgetValue[ErrorType | None]("intended-type", None)
    edit_form = WidgetValue[EditForm]("edits-form", EditForm.EXECUTABLE)
    judge_triviality = WidgetValue[bool]("edits-judged", True)

    # the Claims tab
    claims_way = WidgetValue[str]("claims-way", "sentence")
    claims_settings = WidgetValue[str]("claims-settings", "")
    claim_text = WidgetValue[str]("claim-text", "")
    new_claim = WidgetValue[str]("new-claim", "")

    # the Record tab, where each summary has fields of its own: `record_field`
    verdict = WidgetValue[Verdict | None]("verdict", None)
    confidence = WidgetValue[int | None]("confidence", None)
    error_type = WidgetValue[ErrorType | None]("error-type", None)
    note = WidgetValue[str]("note", "")
    explanation = WidgetValue[str]("explanation", "")
    grade = WidgetValue[Grade | None]("grade", None)
    flaw = WidgetValue[ExplanationFlaw | None]("cause", None)
    inconsistent = WidgetValue[str | None]("inconsistent", None)
    interesting = WidgetValue[str | None]("interesting", None)
    controlled = WidgetValue[str | None]("controlled", None)
    explanation_good = WidgetValue[str | None]("explanation_good", None)


def probe_state() -> ProbeState:
    return page_state(ProbeState)
