"""State of the Probe page: the pair with its history, what was asked of metrics and models, and its widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from streamlit.runtime.uploaded_file_manager import UploadedFile

from annotations.store.records import LabelRecord
from core.data import Refusal
from core.edits import EditableClaims, EditForm, Editor, EditRequestTask, Perturbation
from core.scoring import CellKey, ConversationTask, Request, RunningConversation
from core.types import (
    UNSTATED,
    ClaimList,
    Context,
    Edit,
    ErrorType,
    Example,
    ExplanationFlaw,
    Grade,
    Intention,
    Item,
    Outcome,
    Verdict,
)
from pages.ui.probe.board_rows import LastShown
from pages.ui.probe.document_reading import DocumentReading
from pages.ui.shared.pair_link import PinnedEdit
from pages.ui.shared.session_state import WidgetValue, page_state


@dataclass(frozen=True, slots=True)
class LoadedPair:
    """Pair that was loaded, and the edits that somebody declared as units with an explanation."""

    example: str
    """Id in links: of a bundled example or of a kept pair; empty for a text that is not kept."""
    title: str
    """Title that lists show; empty for pasted text."""
    domain: str
    """Domain of the document, such as news; empty where not stated."""
    source: str
    """Origin of the pair, such as a dataset or a link; empty where not stated."""
    document: str
    """Source text with plain line ends; contexts are joined into it."""
    original: str
    """Summary before any edit."""
    declared: tuple[Edit, ...] = ()
    """Edits with their explanations, in the order of their spans in the original summary."""
    saved: tuple[Outcome, ...] = ()
    """Scores that were stored with a kept pair."""
    kept: str = ""
    """Edited summary of the kept pair, which `saved` belongs to; empty without one."""
    contexts: tuple[Context, ...] = ()
    """Names and spans of the parts of the document; empty where it is one text."""
    question: str = ""
    """Question that the summary answers; empty for a general summary."""

    def as_example(self, id: str, summary: str) -> Example:
        """A summary of the document, as metrics read it."""
        return Example(id, self.document, summary, self.contexts, self.question)


@dataclass(frozen=True, slots=True)
class VariantRequest:
    """Variant that a model is writing, and the text that it is of."""

    perturbation: Perturbation
    text: str
    task: ConversationTask[list[Edit]]


@dataclass(eq=False)
class ProbeState:
    """State of one session on Probe; other pages open pairs there and add metrics to its board."""

    # the pair and its history
    pair: LoadedPair | None = None
    """Pair in the panes; None before the first is opened."""
    known_text: str = ""
    """Edited summary that the history has last recorded."""
    undo_texts: list[str] = field(default_factory=list)
    """Earlier edited summaries, oldest first."""
    redo_texts: list[str] = field(default_factory=list)
    """Summaries that were undone, the one to restore next last."""
    draft_id: str = field(default_factory=lambda: uuid4().hex)
    """Id of the draft of this session, random."""
    draft_saved: bool = False
    """True if the draft is in the database."""
    opened: tuple[str, str] | None = None
    """Id in the address and the edited text that it opens; None for a pair without an address."""
    meant: Intention = UNSTATED
    """Intention of the edit: of its source, until a label on the page says what it is."""
    pinned: tuple[PinnedEdit, ...] = ()
    """Edits compared side by side, in the order of their letters."""
    claims: EditableClaims | None = None
    """Claims of the edited summary, with what a person changed; None before they are extracted."""
    older_draft: str = ""
    """The same person's earlier draft of this example as JSON, where a link opened it again; else empty."""

    # the metrics by their specs, what was asked of them, and what they last showed
    metrics: list[str] | None = None
    """Specs of the metrics on the board; None for the default set."""
    waits: Mapping[str, bool] = field(default_factory=dict)
    """By spec, whether a metric waits for the key by choice; the cost decides for all others."""
    asked_texts: tuple[Example, ...] = ()
    """Texts that the last request was for."""
    asked_specs: frozenset[str] = frozenset()
    """Specs of the metrics that were requested for those texts."""
    score_all: bool = False
    """True if the key was pressed, so that the next request includes every metric."""
    metrics_opened: bool = False
    """True if the list of metrics was opened in this session."""
    request: Request | None = None
    """Current request to the engine; None before the first."""
    timed: dict[CellKey, RunningConversation] = field(default_factory=dict)
    """By cell, the task whose duration is already recorded."""
    last_shown: dict[str, LastShown] = field(default_factory=dict)
    """By spec, the scores that the board showed last."""

    noticed: str = ""
    """Spec of the metric that the edit moves farthest beyond its noise; empty where it moves none so far."""
    moved: frozenset[str] = frozenset()
    """Specs of the metrics that the edit moved beyond their noise when all scores were there last; they stand first."""

    # what language models were asked for
    variant_request: VariantRequest | None = None
    """Variant that a language model is writing; None without one."""
    claims_request: ConversationTask[ClaimList] | None = None
    """Extraction of claims that is running; None without one."""
    claims_error: str = ""
    """Reason why the last extraction of claims failed; empty where it did not."""
    claims_error_summary: str = ""
    """Summary whose claims could not be extracted."""
    claims_asked: ClaimList | None = None
    """Claims that were also scored by the metrics which wait for a press; None before the press."""
    edit_request: EditRequestTask | None = None
    """Request for edits to a language model, running or answered; None without one."""
    edit_count_drawn: int | None = None
    """Version of that request that the page has rendered; None before it has."""
    edit_samples: Mapping[tuple[Example, Editor], int] = field(default_factory=dict)
    """By summary and editor, the number of the sample to request next."""

    # forms: their errors, and what was read or saved last
    spec_error: str = ""
    """Reason why a typed spec is not a metric; empty where it is."""
    upload_error: str = ""
    """Reason why the last file was not read; empty where it was."""
    context_error: str = ""
    """Reason why a context was not added; empty where it was."""
    question_of: LoadedPair | None = None
    """Pair whose question the field shows."""
    uploaded: Sequence[Item | Refusal] = ()
    """Pairs of the last uploaded table, and the lines that were refused."""
    long_document: str = ""
    """Document of a file that is too long for the field; else empty."""
    cleaning: Mapping[str, int] | None = None
    """Number of changes by their words in the document of the file; None without a file that has a layout or markup."""
    reading: DocumentReading | None = None
    """Document that is being read, or whose reading was cancelled; None without one."""
    json_error: str = ""
    """Reason why the typed edits cannot be applied; empty where they can."""
    json_places: Sequence[str] = ()
    """Places where an ambiguous edit may apply, in words; the person picks a place."""
    json_record: int = 0
    """Index of the ambiguous edit among the typed records."""
    explanation_of_edits: str | None = None
    """Explanation that was filled in from the edits; None before that."""
    saved_record: LabelRecord | None = None
    """Label that was sent last; the same label sent again keeps its event."""
    saved_pair: tuple[str, str] | None = None
    """Id and document of the pair that was kept last; None before that."""
    save_id: str = ""
    """Id of the event of that label."""
    scores_shown: set[int] = field(default_factory=set)
    """Hashes of document and original summary of the pairs whose scores were in view."""

    # the toolbar
    example = WidgetValue[str]("example", "")
    edit_menu_open = WidgetValue[bool]("edit-menu-open", False)
    upload_open = WidgetValue[bool]("upload-open", False)
    typed_spec = WidgetValue[str]("spec", "")
    metric_with_settings = WidgetValue[str | None]("form-of", None)
    chosen_of_family = WidgetValue[list[str]]("chosen", [])
    fast_specs = WidgetValue[list[str]]("fast", [])
    upload = WidgetValue[UploadedFile | None]("upload", None)
    clean_upload = WidgetValue("clean-upload", True)
    uploaded_id = WidgetValue[str | None]("uploaded-id", None)
    uploaded_outputs = WidgetValue[int | None]("uploaded-outputs", None)
    uploaded_words = WidgetValue("uploaded-words", "")
    pasted_document = WidgetValue[str]("pasted-document", "")
    pasted_summary = WidgetValue[str]("pasted-summary", "")
    context_name = WidgetValue[str]("context-name", "")
    context_text = WidgetValue[str]("context-text", "")
    question = WidgetValue[str]("question", "")

    # the tabs of edits
    edit_json = WidgetValue[str]("edit-json", "")
    edit_explanation = WidgetValue[str]("why", "")
    edit_form = WidgetValue[EditForm]("edits-form", EditForm.EXECUTABLE)
    judge_triviality = WidgetValue[bool]("edits-judged", True)

    # the Claims tab
    claims_way = WidgetValue[str]("claims-way", "sentence")
    claims_settings = WidgetValue[str]("claims-settings", "")
    claim_text = WidgetValue[str]("claim-text", "")
    new_claim = WidgetValue[str]("new-claim", "")

    # the Record tab, where each summary has fields of its own: `record_field`
    verdict = WidgetValue[Verdict | None]("verdict", None)
    blind = WidgetValue("blind", False)
    confidence = WidgetValue[int | None]("confidence", None)
    error_type = WidgetValue[ErrorType | None]("error-type", None)
    note = WidgetValue[str]("note", "")
    explanation = WidgetValue[str]("explanation", "")
    grade = WidgetValue[Grade | None]("grade", None)
    flaw = WidgetValue[ExplanationFlaw | None]("cause", None)
    interesting = WidgetValue[str | None]("interesting", None)
    controlled = WidgetValue[str | None]("controlled", None)
    explanation_good = WidgetValue[str | None]("explanation_good", None)


def probe_state() -> ProbeState:
    return page_state(ProbeState)
