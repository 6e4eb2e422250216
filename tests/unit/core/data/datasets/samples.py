"""A small sample of our own for every importer, in the form of the released files and with their traps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.dataset import DATASETS
from tests.unit.core.data.datasets.releases import (
    DOCUMENT,
    OTHER,
    SUMMARY,
    WRONG,
    answer,
    answered,
    answered_in_german,
    audited,
    bump,
    checked,
    claim,
    cliff,
    corrected,
    dialogue,
    executed,
    explained,
    exported,
    faceval,
    faithful,
    frank,
    grey,
    hallucinated,
    mark,
    marked_by_several,
    marked_dialogue,
    message,
    rated,
    rated_by_experts,
    rated_in_german,
    response,
    result,
    reviewed,
    sentence,
    story,
    summedit,
    supported,
    unified,
    verified,
    vote,
    voted,
    write_book,
    write_diasumfact,
    write_faithbench,
    write_frank,
    write_longeval,
    write_ragtruth,
    write_ragtruth_plus,
    write_reviews,
)
from tests.unit.core.data.datasets.writing import Record, Write, lines, listed, parquet, plain, table, tabs


@dataclass(frozen=True)
class Sample:
    """Records, how they are written, how many items they give (0: some), and what spoils the last of them.

    `spoilt` are fields with values that cannot be read, each to be refused by its name; `last` is where the last record
    stands.
    """

    records: Sequence[Record]
    write: Write
    items: int
    spoilt: tuple[tuple[str, object], ...]
    last: int = 2


SAMPLES = {
    "exported": Sample(
        [exported("a"), exported("b", parent="a", summary=WRONG, label="inconsistent", original=SUMMARY)],
        parquet("items.parquet"),
        2,
        (("label", "wrong"), ("id", None), ("split", "later"), ("facts", "{")),
    ),
    "bump": Sample(
        [bump(0), bump(1)],
        listed("task1_dataset.json"),
        4,
        (("article", ""), ("edited_summary", SUMMARY), ("corrected_error_type", "Typo"), ("scores", 3)),
    ),
    "summedits": Sample(
        [summedit("s_og", SUMMARY, 1), summedit("s_0", WRONG, 0, edit_types=["antonym_swap"])],
        listed("summedits_ships.json"),
        2,
        (("doc", None), ("label", 2), ("split", "later"), ("edit_types", "antonym_swap")),
    ),
    "summexecedit": Sample(
        [executed("a"), executed("b")],
        listed("summexecedit.json"),
        3,
        (("original_text", "dawn"), ("edit_type", "?"), ("edited_summary", "")),
    ),
    "halueval": Sample(
        [hallucinated(), hallucinated(document=OTHER)],
        lines("summarization_data.json"),
        4,
        (("document", ""), ("right_summary", None), ("hallucinated_summary", " ")),
    ),
    "summeval": Sample(
        [rated_by_experts("M11", SUMMARY, 5, 5, 5), rated_by_experts("M8", WRONG, 5, 4, 5, text=DOCUMENT)],
        lines("model_annotations.aligned.jsonl"),
        2,
        (("decoded", ""), ("expert_annotations", []), ("model_id", None), ("id", "")),
    ),
    "referencematters": Sample(
        [corrected("1"), corrected("2")],
        listed("SAMSum/train.json"),
        8,
        (("dialogue", " "), ("model_summaries", [])),
    ),
    "genaudit": Sample(
        [audited(1, ""), audited(2, "night<sep>a ferry")],
        table("Genaudit_annotations.csv"),
        2,
        (("source", ""), ("summary", " ")),
        last=3,
    ),
    "frank": Sample(
        [frank("bart", 1.0), frank("pgn", 0.5)],
        write_frank,
        2,
        (("Factuality", "good"), ("split", "val"), ("EntE", None), ("hash", "")),
    ),
    "aggrefact": Sample(
        [unified(WRONG, "['extrinsic-NP', 'intrinsic-NP']"), unified(SUMMARY, "['intrinsic-predicate']", label=1)],
        write_book,
        2,
        (("label", "?"), ("cut", "train"), ("error_type", "extrinsic"), ("summ", None)),
    ),
    "llm-aggrefact": Sample(
        [claim(0), claim(1)],
        parquet("dev-00000-of-00001.parquet"),
        2,
        (("claim", ""), ("dataset", " ")),
    ),
    "unieval": Sample(
        [result(0, 1.0), result(1, 0.5)],
        listed("qags_cnndm_result.json"),
        2,
        (("system_output", ""), ("scores", "high"), ("predict_scores", 1)),
    ),
    "qags": Sample(
        [voted(["yes", "no", "yes"], ["yes", "yes", "yes"]), voted(["no", "no", "yes"], ["yes", "yes", "no"])],
        lines("mturk_cnndm.jsonl"),
        2,
        (("article", ""), ("summary_sentences", [])),
    ),
    "longsciverify": Sample(
        [reviewed("806.4325\u00a0", "1"), reviewed("1007.107", "")],
        write_reviews,
        6,
        (("dancersum", ""), ("id", "2001.1"), ("model_1_coherence", "good")),
        last=3,
    ),
    "longeval": Sample(
        [{"story": "article_0_longt5", "score": [70.0, 80.0]}, {"story": "article_1_longt5", "score": [50.0, 100.0]}],
        write_longeval,
        2,
        (("score", []), ("story", "")),
    ),
    "faceval": Sample(
        [faceval(13, "yes"), faceval(14, "no")],
        table("FacEval_human_result.csv"),
        2,
        (("w/ Error", "maybe"), ("Summary", "")),
        last=4,
    ),
    "llm-dialogue": Sample(
        [marked_dialogue(14, "[]", "[]"), marked_dialogue(13, "['cars']", "['Intrinsic_Error']")],
        table("xformer_llm_annotated.csv"),
        2,
        (("factual_error", "2"), ("error_type", "[]"), ("nonfactual_spans", "'car'"), ("summary", "")),
        last=4,
    ),
    "tofueval": Sample(
        [sentence(2, "no"), sentence(1, "yes"), sentence(1, "yes", topic="Mill")],
        table("mediasum_factual_eval_dev.csv"),
        2,
        (("sent_label", "perhaps"), ("summ_sent", ""), ("sent_idx", "first")),
        last=4,
    ),
    "faithbench": Sample(
        [faithful(0), faithful(1, ["Benign"], ["Unwanted", "Unwanted.Intrinsic"], [])],
        write_faithbench,
        2,
        (("summary", ""), ("annotations", "none"), ("metadata", None)),
    ),
    "diasumfact": Sample(
        [dialogue(mark("No Error")), dialogue(mark("EntE", "night", "intrinsic"))],
        write_diasumfact,
        2,
        (("annotations", "none"), ("utterances", "Ann: When?")),
    ),
    "cliff": Sample(
        [cliff("BART", "correct"), cliff("Pegasus", "['extrinsic-NP']", "['night']")],
        table("CLIFF_error_types.csv"),
        2,
        (("error_type", "extrinsic"), ("summ", ""), ("cut", "later")),
        last=3,
    ),
    "squality-human-eval": Sample(
        [rated("50827"), rated("50828")],
        lines("all-responses.jsonl"),
        2,
        (("questions", {}), ("passage-id", "")),
    ),
    "wice": Sample(
        [supported("dev02986", "supported"), supported("dev02563", "partially_supported")],
        lines("claim/dev.jsonl"),
        2,
        (("label", "perhaps"), ("claim", ""), ("evidence", "one")),
    ),
    "factualnlg": Sample(
        [explained("1", "correct"), explained("2", "unrelated", "correct")],
        listed("factcc_explanation_annotation.json"),
        2,
        (("summary", ""), ("samples", "none")),
    ),
    "ragtruth": Sample(
        [response("1"), response("2", source_id="12", labels=[]), response("3", source_id="13", quality="truncated")],
        write_ragtruth,
        3,
        (("source_id", "99"), ("labels", [{"start": 0, "end": 5, "text": "dawn", "label_type": "x"}]), ("split", "?")),
        last=3,
    ),
    "ragtruth-plus": Sample(
        [message("u1", role="user", text=DOCUMENT), message("a1"), message("a2", text=SUMMARY)],
        write_ragtruth_plus,
        2,
        (("message_thread_stable_id", "t9"), ("text", "")),
        last=4,
    ),
    "clearfacts": Sample(
        [checked("NS"), checked("AMBIG", reference_documents=[DOCUMENT, OTHER])],
        lines("clearfacts.jsonl"),
        2,
        (("label", "maybe"), ("reference_documents", []), ("statement", "")),
    ),
    "seahorse": Sample(
        [rated_in_german(), rated_in_german(question1="No", **{f"question{place}": "" for place in range(2, 7)})],
        tabs("validation.tsv"),
        2,
        (("question4", "Perhaps"), ("gem_id", ""), ("summary", "")),
        last=3,
    ),
    "psiloqa": Sample(
        [answered_in_german("de-1"), answered_in_german("de-2", llm_answer=SUMMARY, labels=[])],
        lines("test.jsonl"),
        2,
        (("labels", [[0, 999]]), ("labels", "?"), ("lang", "")),
    ),
    "hallumix": Sample(
        [
            {"documents": [DOCUMENT, OTHER], "answer": WRONG, "hallucination_label": 1, "source_dataset": "qa"},
            {"documents": [OTHER, DOCUMENT], "answer": SUMMARY, "hallucination_label": 0, "source_dataset": "qa"},
        ],
        lines("test.jsonl"),
        2,
        (("hallucination_label", 2), ("documents", []), ("answer", "")),
    ),
    "faithjudge": Sample(
        [marked_by_several("1"), marked_by_several("2")],
        lines("faithbench_summary.jsonl"),
        4,
        (("summaries", "?"), ("source", "")),
    ),
    "verigray": Sample(
        [grey("Explicitly-Supported"), grey("implicitly-supported", "out-dependent", "fabricated")],
        lines("veri_gray.jsonl"),
        2,
        (("sentences", []), ("sentences", "?"), ("question", ""), ("answer", "")),
    ),
    "unisumeval": Sample(
        [verified("bart"), verified("gpt")],
        lines("unisumeval_faithfulness.jsonl"),
        2,
        (
            ("fact_verification_label", [0]),
            ("fact_verification_label", [0, 2]),
            ("sentences", "x"),
            ("summary_success_state", "fail"),
            ("model", ""),
        ),
    ),
    "summac": Sample(
        [vote(1), vote(0, error_type=["EntE", "OutE"])],
        lines("cogensumm.jsonl"),
        2,
        (("label", 3), ("annotations", ["?"]), ("cut", "?")),
    ),
    "squality": Sample(
        [story("63833"), story("63834")],
        lines("dev.jsonl"),
        4,
        (("document", ""), ("metadata", 3), ("questions", {})),
    ),
    "lexabsumm": Sample(
        [{"id": "x-1", "article": ["One.", "Two."], "aspect": "Costs", "summary": SUMMARY}] * 2,
        listed("LexAbSumm.json"),
        2,
        (("summary", ""), ("article", [3.5])),
    ),
    "scholarqabench": Sample(
        [answer("q1"), answer("q2")],
        listed("human_answers.json"),
        2,
        (("output", ""), ("ctxs", [])),
    ),
    "documents": Sample(
        [{"doc_id": "NPR-1", "document": DOCUMENT}, {"doc_id": "NPR-2", "document": ["Ann: Where?", "Ben: Kiel."]}],
        lines("documents.jsonl"),
        2,
        (("document", ""), ("doc_id", "")),
    ),
    "explained": Sample(
        [answered("a", verdict="consistent"), answered("b", grade="partially", signature="judge|model:m")],
        lines("answers.jsonl"),
        2,
        (("verdict", "maybe"), ("grade", "good"), ("by", ""), ("sample", ""), ("signature", "")),
    ),
    "generic": Sample(
        [
            {"text": DOCUMENT, "output": SUMMARY, "has_error": "no", "rouge": "0.5"},
            {"text": OTHER, "output": WRONG, "has_error": "yes", "rouge": "0.25"},
        ],
        table("own.csv"),
        2,
        (("output", ""),),
        last=3,
    ),
    "pairs": Sample(
        [{"id": "a", "document": DOCUMENT, "summary": SUMMARY}, {"id": "b", "document": OTHER, "summary": WRONG}],
        lines("pairs.jsonl"),
        2,
        (("summary", ""), ("id", "a")),
    ),
}
"""By the importer's name; the bundled examples are their own sample."""

OWN_FORMATS = {importer.name: importer.sample for importer in DATASETS if importer.sample}
"""Formats for people's own texts whose importers bring their sample."""

SAMPLES |= {name: Sample([{"text": text}], plain("sample.txt"), 0, ()) for name, text in OWN_FORMATS.items()}
