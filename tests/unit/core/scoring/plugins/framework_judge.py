"""A judge on loopback that answers the prompts of other frameworks: each by a sentence in it, with what one pair deserves."""

from __future__ import annotations

import json

from tests.unit.core.models.llm.scripted import Body, Reply, text

DOCUMENT = "The pilot asked for the tug. It came at dawn."
SUMMARY = "The pilot asked. It came at noon."

_STATEMENTS = [
    {"statement": "The pilot asked.", "reason": "It says so.", "verdict": 1},
    {"statement": "It came at noon.", "reason": "It came at dawn.", "verdict": 0},
]
_VERDICTS = [{"verdict": "yes"}, {"verdict": "no", "reason": "It came at dawn."}]
_ANSWERS: dict[str, object] = {
    # autoevals, whose prompts have words of RAGAS
    "arguments of extract_statements": {"statements": ["The pilot asked.", "It came at noon."]},
    "arguments of judge_statements": {"faithfulness": _STATEMENTS},
    "Compare the factual content": {"reasons": "It came at dawn.", "choice": "D"},
    # DeepEval
    'with the "truths" key': {"truths": ["The pilot asked for the tug.", "It came at dawn."]},
    'with the "claims" key': {"claims": ["The pilot asked.", "It came at noon."]},
    "agrees with EACH context": {"verdicts": [{"verdict": "no", "reason": "It came at dawn."}]},
    "'questions' key": {"questions": ["Did the pilot ask for the tug?", "Did it come at dawn?"]},
    "JSON with key 'answers'": {"answers": ["yes", "yes"]},
    "'verdicts'": {"verdicts": _VERDICTS},
    # inspect_ai
    "'GRADE: $LETTER'": "It came at dawn, not at noon.\n\nGRADE: P",
    # Phoenix
    "'faithful' or 'unfaithful'": {"explanation": "It came at dawn.", "label": "unfaithful"},
    # TruLens
    "Split the following statement into individual sentences": "The pilot asked.\nIt came at noon.",
    "STATEMENT: The pilot asked.": {"criteria": "The pilot asked.", "supporting_evidence": "It says so.", "score": 3},
    "STATEMENT: It came at noon.": {"criteria": "It came at noon.", "supporting_evidence": "NOTHING FOUND", "score": 0},
    # RAGAS
    "Given a question and an answer, analyze": {"statements": ["The pilot asked.", "It came at noon."]},
    "judge the faithfulness of a series of statements": {"statements": _STATEMENTS},
    '{"rating": X}': {"rating": 1},
}


def judged(_path: str, body: Body) -> Reply:
    """The answer to the prompt of a framework; to one that is not known, nothing that could be read."""
    prompt = "\n".join(message["content"] for message in body["messages"])
    known = [answer for words, answer in _ANSWERS.items() if words in prompt]
    answer = known[0] if known else "I do not know this prompt."
    return text(answer if isinstance(answer, str) else json.dumps(answer))
