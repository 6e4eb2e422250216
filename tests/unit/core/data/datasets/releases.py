"""Records of our own in the form of the released files, with their traps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.unit.core.data.datasets.writing import Record, book, lines, listed, put, table

DOCUMENT = "The ferry Alma left Kiel at noon. She carried forty cars. Fog held her back for an hour."
SUMMARY = "The Alma left Kiel at noon with forty cars."
WRONG = "The Alma left Kiel at night with forty cars."
OTHER = "The mill at Hagen closed in May. Nine people worked there."


def bump(number: int, **fields: object) -> Record:
    scores = {"ROUGE-2_reference": 0.8, "ROUGE-2_edited": 0.7, "Q2_reference": 1.0, "Q2_edited": 1.0}
    return {
        "id": number,
        "article_id": 628,
        "article": DOCUMENT,
        "reference_summary": SUMMARY,
        "edited_summary": WRONG,
        "error_type": "Extrinsic Circumstance Error",
        "corrected_error_type": "Intrinsic Predicate Error",
        "scores": scores,
        **fields,
    }


def summedit(name: str, summary: str, label: int, **fields: object) -> Record:
    return {
        "id": name,
        "doc": DOCUMENT,
        "summary": summary,
        "label": label,
        "original_summary": SUMMARY,
        "edit_types": [],
        "split": "test",
        **fields,
    }


def exported(id: str, **fields: object) -> Record:
    """A row of items.parquet of `export --dataset`."""
    vote = {"judge": "a1", "verdict": "consistent", "category": "", "start": 0, "end": 3}
    known = {
        "id": id,
        "document": DOCUMENT,
        "summary": SUMMARY,
        "parent": None,
        "original": None,
        "label": "consistent",
    }
    rest = {"group": "ship", "split": "dev", "slices": ["short"], "judgements": [vote], "facts": "{}"}
    rating = {"judge": "a1", "aspect": "factuality", "value": 0.5, "sentence": None}
    return {**known, **rest, "ratings": [rating], **fields}


def executed(name: str, **fields: object) -> Record:
    return {
        "sample_id": name,
        "doc_id": "d1",
        "doc": DOCUMENT,
        "original_summary": SUMMARY,
        "original_text": "noon",
        "replace_text": "night",
        "edited_summary": WRONG,
        "explanation": "The document says noon.",
        "domain": "news",
        "model": "editor-1",
        "edit_type": "summexecedit",
        **fields,
    }


def hallucinated(**fields: object) -> Record:
    return {"document": DOCUMENT, "right_summary": SUMMARY, "hallucinated_summary": WRONG, **fields}


def rated_by_experts(name: str, summary: str, *consistency: int, **fields: object) -> Record:
    marks = [{"coherence": 3, "consistency": mark, "fluency": 5, "relevance": 4} for mark in consistency]
    return {
        "id": "cnn-test-a1",
        "decoded": summary,
        "expert_annotations": marks,
        "turker_annotations": [{"coherence": 1, "consistency": 1, "fluency": 1, "relevance": 1}] * 5,
        "references": [SUMMARY],
        "model_id": name,
        "filepath": "cnndm/cnn/stories/a1.story",
        **fields,
    }


def corrected(name: str) -> Record:
    marks = [{"start": 22, "text": "night", "type": "CircE"}]
    systems = {
        "UniLM": {"original_summary": WRONG, "consistency": False, "modified": SUMMARY, "error_categories": marks},
        "CODS": {"original_summary": SUMMARY, "consistency": True, "modified": SUMMARY, "error_categories": []},
        "BART": {"original_summary": WRONG, "consistency": False, "modified": WRONG, "error_categories": marks},
    }
    return {"id": name, "dialogue": DOCUMENT, "references": [SUMMARY], "model_summaries": systems}


def audited(number: int, spans: str) -> Record:
    name = f"Judge One#REDDIT-{number}:model-7b"
    return {
        "": number,
        "id": name,
        "source": DOCUMENT,
        "summary": WRONG,
        "annotated_spans": spans,
        "model": "model-7b",
        "origin": "REDDIT",
    }


def audited_sentence(summary: str, number: int, before: str, after: str) -> Record:
    """Of the sentence that stands after `number` others, the first of which nobody was asked about."""
    return {
        "id": f"{summary}:{number}",
        "input_lines": DOCUMENT.split(". "),
        "prev_summ_lines": ["It was foggy.", "Not yet corrected."][:number],
        "before_summary_sent": before,
        "after_summary_sent": after,
    }


def frank(system: str, factuality: float, **fields: object) -> Record:
    kinds = ("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other")
    return {
        "hash": "b71b",
        "model_name": system,
        "dataset": "cnndm",
        "Factuality": factuality,
        **dict.fromkeys(kinds, 1.0),
        "EntE": factuality,
        "Flip_EntE": 1.0,
        "split": "valid",
        **fields,
    }


def write_frank(folder: Path, records: Sequence[Record]) -> None:
    listed("human_annotations.json")(folder, records)
    key = {"hash": "b71b", "model_name": "bart", "dataset": "cnndm", "split": "valid"}
    scores = [{**key, "Rouge 1": 0.5, "Bleu": 23.4, "FEQA": None}]
    listed("baseline_factuality_metrics_outputs.json")(folder, scores)


def unified(summary: str, types: str, **fields: object) -> Record:
    return {
        "annotated_span": "[nan, 'at night']",
        "cut": "test",
        "dataset": "xsumfaith",
        "doc": DOCUMENT,
        "error_type": types,
        "id": "25840979",
        "label": 0,
        "model_name": "BERTS2S",
        "origin": "xsum",
        "summ": summary,
        "category": "Early Trans",
        **fields,
    }


def aggrefact(number: int, **fields: object) -> Record:
    return {
        "dataset": "CLIFF",
        "origin": "cnndm",
        "id": number,
        "doc": DOCUMENT,
        "summary": SUMMARY,
        "model_name": "BART",
        "label": 1,
        "cut": "val",
        "DAE_score": 0.9,
        "DAE_label": "",
        **fields,
    }


def result(number: int, consistency: float, **fields: object) -> Record:
    return {
        "doc_id": number,
        "system_id": 0,
        "source": DOCUMENT,
        "reference": DOCUMENT,
        "system_output": SUMMARY,
        "scores": {"consistency": consistency},
        "predict_scores": {"consistency": 0.9},
        **fields,
    }


def voted(*votes: Sequence[str], **fields: object) -> Record:
    sentences = [
        {
            "sentence": f"Sentence {place}.",
            "responses": [{"worker_id": worker, "response": vote} for worker, vote in enumerate(given)],
        }
        for place, given in enumerate(votes)
    ]
    return {"article": DOCUMENT, "summary_sentences": sentences, **fields}


def reviewed(name: str, factual: str) -> Record:
    texts = {"gencomparesumabs": SUMMARY, "dancersum": WRONG, "section_conditional": SUMMARY + " It was foggy."}
    levels = {f"model_{m}_{aspect}": "3" for aspect in ("coherence", "fluency") for m in (1, 2, 3)}
    sentences = {f"model_{m}_sent_{s}_factuality": factual for m in (1, 2, 3) for s in (1, 2, 3)}
    return {"id": name, **texts, **levels, **sentences}


def write_reviews(folder: Path, records: Sequence[Record]) -> None:
    """Three reviewers who differ in nothing, and the papers, whose ids a spreadsheet shortened in the tables."""
    for reviewer in (1, 2, 3):
        table(f"results/arxiv_reviewer_{reviewer}.csv")(folder, records)
        path = folder / f"results/arxiv_reviewer_{reviewer}.csv"
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    papers = [{"article_id": name, "article_text": DOCUMENT.split("\n")} for name in ("0806.4325", "1007.1070")]
    lines("raw/arxiv_test.json")(folder, papers)


def write_longeval(folder: Path, records: Sequence[Record]) -> None:
    listed("human/pubmed_fine_scores.json")(folder, records)
    stories = {
        f"article_{i}_{system}": {"source_doc": DOCUMENT, "summary": f"<pad> {SUMMARY}"}
        for i in (0, 1)
        for system in ("human", "longt5")
    }
    put(folder, "raw/pubmed_summary_src_doc_data.json", json.dumps(stories))


def faceval(document: int, error: str) -> Record:
    kinds = dict.fromkeys(("SubObjE", "ProE", "NegE", "ParE", "HalE", "OtherE"), "no")
    row = {"": 0, "DocID": document, "Dialogue": "Ann: Where?\nBen: Kiel.", "Model": "bart_large", "Summary": SUMMARY}
    return {**row, **kinds, "NegE": error, "w/ Error": error}


def marked_dialogue(document: int, spans: str, kinds: str) -> Record:
    error = "0" if kinds == "[]" else "1"
    texts = {"dialogue": "Ann: Where?\nBen: Kiel.", "summary": SUMMARY, "origin": "SAMSum"}
    marked = {"nonfactual_spans": spans, "evidence": "[]", "factual_error": error, "error_type": kinds}
    return {"": 0, "docid": document, "model": "alpaca-13b", **marked, **texts}


def sentence(place: int, label: str, **fields: object) -> Record:
    return {
        "doc_id": "NPR-1",
        "annotation_id": 1,
        "topic": "Ferry",
        "model_name": "model_A",
        "sent_idx": place,
        "summ_sent": f"Sentence number {place}.",
        "sent_label": label,
        "exp": "There was no ferry." if label == "no" else "",
        "type": "Reasoning Error, Contradiction" if label == "no" else "",
        **fields,
    }


def faithful(number: int, *labels: Sequence[str]) -> Record:
    marks = [
        {
            "annotator_id": f"x{place}",
            "annotator_name": "Judge One",
            "label": list(label),
            "note": "why",
            "summary_start": 4,
            "summary_end": 8,
            "source_start": None,
        }
        for place, label in enumerate(labels)
    ]
    known = {"summarizer": "a/model", "hhem-2.1": 0.5, "true_nli": None, "raw_sample_id": 3}
    return {"sample_id": number, "source": DOCUMENT, "summary": SUMMARY, "annotations": marks, "metadata": known}


def write_faithbench(folder: Path, records: Sequence[Record]) -> None:
    put(folder, "batch_3.json", json.dumps({"samples": list(records)}))


def response(name: str, **fields: object) -> Record:
    mark = {"start": 22, "end": 27, "text": "night", "meta": "It was noon.", "label_type": "Evident Conflict"}
    return {
        "id": name,
        "source_id": "11",
        "model": "m",
        "labels": [mark],
        "split": "train",
        "quality": "good",
        "response": WRONG,
        **fields,
    }


def write_ragtruth(folder: Path, records: Sequence[Record]) -> None:
    lines("response.jsonl")(folder, records)
    sources = [
        {"source_id": "11", "task_type": "Summary", "source": "CNN/DM", "source_info": DOCUMENT},
        {"source_id": "12", "task_type": "QA", "source_info": {"question": "When?", "passages": DOCUMENT}},
        {"source_id": "13", "task_type": "Data2txt", "source_info": {"name": "Alma", "cars": 40}},
    ]
    lines("source_info.jsonl")(folder, sources)


def message(name: str, **fields: object) -> Record:
    row = {"stable_id": name, "meta": "{}", "role": "assistant", "position": 1, "text": WRONG}
    return {**row, "message_thread_stable_id": "t1", **fields}


def write_ragtruth_plus(folder: Path, records: Sequence[Record]) -> None:
    table("messages.csv")(folder, records)
    mark = {"start_pos": 22, "end_pos": 27, "span_text": "night", "label": "conflict", "reasoning": "It was noon."}
    table("hallucination_spans.csv")(folder, [{**mark, "stable_id": "s1", "message_stable_id": "a1"}])


def checked(label: str, **fields: object) -> Record:
    row = {"topic": "hover", "statement": WRONG, "reference_documents": [DOCUMENT], "label": label, "category": "x"}
    return {**row, "additional_info": {"original_label": "S"}, **fields}


def rated_in_german(**fields: object) -> Record:
    answers = {f"question{place}": "Yes" for place in range(1, 7)} | {"question4": "No"}
    row = {"gem_id": "mlsum_de-test-1", "worker_lang": "de", "summary": "Die Alma fuhr nachts.", "model": "mt5_small"}
    return {**row, **answers, **fields}


def answered_in_german(name: str, **fields: object) -> Record:
    row = {"id": name, "lang": "de", "wiki_title": "Alma", "wiki_passage": DOCUMENT, "question": "Wann?"}
    answer = {"llm_answer": WRONG, "labels": [[22, 27]], "llm_checkpoint": "m", "complexity": "easy"}
    return {**row, "golden_answer": "noon", **answer, **fields}


def grey(*annotations: str, **fields: object) -> Record:
    """A summary of VeriGray of as many sentences, each with its label."""
    texts = ["The Alma left Kiel at noon.", "Kiel lies on the Baltic.", "She sank in May."]
    sentences, answer = list[Record](), ""
    for text, annotation in zip(texts, annotations, strict=False):
        answer += f" {text}" if answer else text
        place = [len(answer) - len(text), len(answer)]
        sentences.append({"text": text, "range": place, "annotation": annotation})
    return {"question": DOCUMENT, "answer": answer, "generator": "m", "sentences": sentences, **fields}


def verified(model: str, **fields: object) -> Record:
    """A summary of UniSumEval of two sentences, the second of which is wrong."""
    sentences = ["The Alma left Kiel at noon.", "She sank in May."]
    row = {"uid": "d_1", "doc_id": "doc-1", "source": "CNNDM", "domain": "News", "model": model}
    labels = {"fact_verification_label": [0, 1], "fact_verification_error_type": [[], ["out-of-article error"]]}
    texts = {"input_context": DOCUMENT, "summary": " ".join(sentences), "sentences": sentences}
    return {**row, **texts, **labels, "faithfulness_score": 0.5, "summary_success_state": "success", **fields}


def marked_by_several(name: str, **fields: object) -> Record:
    mark = {
        "annotator": "a",
        "label": ["Unwanted", "Unwanted.Extrinsic"],
        "note": "No.",
        "summary_start": 22,
        "summary_end": 27,
    }
    whole = {"annotator": "b", "label": ["Questionable"], "note": "", "summary_start": None, "summary_end": None}
    summaries = [
        {
            "sample_id": "0",
            "summary": WRONG,
            "annotations": [[mark], [whole], []],
            "computed_ground_truth_label_majority": "Unwanted",
        },
        {
            "sample_id": "1",
            "summary": SUMMARY,
            "annotations": [[], []],
            "computed_ground_truth_label_majority": "Consistent",
        },
    ]
    return {"source_id": name, "source": DOCUMENT, "summaries": summaries, **fields}


def story(name: str) -> Record:
    responses = [{"worker_id": "6", "uid": "u", "response_text": SUMMARY}, {"worker_id": "7", "response_text": WRONG}]
    return {
        "metadata": {"passage_id": name, "license": "…"},
        "document": DOCUMENT,
        "questions": [{"question_text": "What happens?", "question_number": 1, "responses": responses}],
    }


def answer(name: str, **fields: object) -> Record:
    passages = [{"title": "Ferries", "text": DOCUMENT, "year": 2015}, {"title": "Mills", "text": float("nan")}]
    return {
        "id": name,
        "input": "When?",
        "ctxs": passages,
        "output": "At noon [0].",
        "annotator": "a",
        "subject": "bio",
        **fields,
    }


def vote(label: object, **fields: object) -> Record:
    return {
        "document": DOCUMENT,
        "claim": SUMMARY,
        "label": label,
        "cut": "val",
        "dataset": "cogensumm",
        "annotations": [1, 0, 1],
        "model_name": "s2s",
        "error_type": "",
        **fields,
    }


def claim(number: int, **fields: object) -> Record:
    return {"dataset": "RAGTruth", "doc": f"{DOCUMENT} {number}", "claim": SUMMARY, "label": number % 2, **fields}


def explained(name: str, *grades: str) -> Record:
    samples = [
        {
            "reason_idx": place,
            "prediction": 0,
            "model": "m",
            "prompt": "p1",
            "annotation": grade,
            "explanation": "It was noon.",
        }
        for place, grade in enumerate(grades)
    ]
    return {"id": name, "doc": DOCUMENT, "summary": WRONG, "samples": samples}


def answered(sample: str, **fields: object) -> Record:
    """A line of `cli.py explain` or `judge`."""
    said = {"by": "detect-explain|model:m", "verdict": "inconsistent", "explanation": "It was noon."}
    return {"sample": sample, "group": "g", "document": DOCUMENT, "summary": WRONG, **said, **fields}


def write_book(folder: Path, records: Sequence[Record]) -> None:
    """The last record in a sheet of its own: those of CNN/DM have fewer columns and no document."""
    *first, last = records
    short = {name: value for name, value in last.items() if name not in {"doc", "origin", "annotated_span"}}
    book(folder / "AggreFact-Unified-test.xlsx", {"xsum_in_np": first, "xsum_ex_np": first, "cnn_in_pred": [short]})


def dialogue(*marks: Record, model: str = "bart", **fields: object) -> Record:
    """A dialogue of DiaSumFact with one summary of one sentence, which has these marks."""
    noted = [{"index": 0, "sentence": WRONG, "annotation": list(marks)}]
    return {
        "utterances": ["Ann: When did she leave?", "Ben: At noon."],
        "query": "",
        "target_summary": SUMMARY,
        "dataset_name": "SAMSum",
        "group_idx": 1,
        "annotations": {model: {"model_prediction": f"{WRONG} ", "sentence_annotations": noted}},
        **fields,
    }


def mark(kind: str, words: str = "", side: str = "n/a") -> Record:
    return {"error_class": kind, "error_span": words, "intrinsic/extrinsic": side, "comment": ""}


def write_diasumfact(folder: Path, records: Sequence[Record]) -> None:
    put(folder, "annotations.json", json.dumps({f"13-{place}": record for place, record in enumerate(records)}))


def cliff(system: str, types: str, spans: str = "", **fields: object) -> Record:
    return {
        "dataset": "CLIFF",
        "origin": "xsum",
        "id": "34687720",
        "doc": DOCUMENT,
        "summ": SUMMARY if types == "correct" else WRONG,
        "model_name": system,
        "cut": "val",
        "error_type": types,
        "annotated_span": spans,
        **fields,
    }


def rated(passage: str, **fields: object) -> Record:
    """A story of SQuALITY's human evaluation with one question that one system answered; two workers rated it."""
    names = ("correctness-rating", "selection-rating", "overall-rating")
    reviews = [
        {"worker_id": worker, "system": "bart", "annotations": [], **dict.fromkeys(names, value), "overall-rank": 3}
        for worker, value in (("3", 10), ("6", 60))
    ]
    answer = {"response": SUMMARY, "reviews": reviews, "overall": {**dict.fromkeys(names, 35.0), "overall-ranking": 3}}
    return {"passage-id": passage, "questions": {"0": {"bart": answer}}, **fields}


def supported(name: str, label: str, **fields: object) -> Record:
    meta = {"id": name, "claim_title": "Alma", "claim_section": "History.", "claim_context": ""}
    evidence = ["(meta data) TITLE: Ferries", "", DOCUMENT]
    return {"label": label, "supporting_sentences": [[2]], "claim": WRONG, "evidence": evidence, "meta": meta, **fields}
