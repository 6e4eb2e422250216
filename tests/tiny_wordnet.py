"""A WordNet of a few words, in the files and formats of NLTK's data package."""

from __future__ import annotations

from pathlib import Path

# word, part of speech, number of the synset, sense number, how often it was counted
_SENSES = """
physician noun 1 1 4
doctor noun 1 1 60
doctor noun 2 2 5
medico noun 1 1 0
inquest noun 3 1 6
enquiry noun 3 1 7
man noun 4 1 90
bloke noun 4 1 9
child noun 5 1 50
tyke noun 5 1 8
lorry noun 6 1 5
truck noun 6 1 9
truck verb 30 1 1
bank noun 7 1 20
bank noun 8 2 15
shore noun 8 1 10
fire noun 9 1 30
fire_engine noun 10 1 2
evening noun 13 1 30
even noun 13 1 6
even adverb 51 1 90
engine noun 11 1 9
motor noun 11 1 8
buy verb 31 1 40
purchase verb 31 1 12
huge adjective 40 1 9
enormous adjective 40 1 7
grand adjective 41 1 9
splendid adjective 41 1 9
grand noun 12 1 2
rapidly adverb 50 1 9
speedily adverb 50 1 6
"""
_NUMBERS = {"noun": 1, "verb": 2, "adjective": 5, "adverb": 4}
_EXCEPTIONS = {
    "noun": "children child\nmen man\n",
    "verb": "bought buy\n",
    "adj": "",
    "adv": "",
}


def write_wordnet(data: Path) -> None:
    """Put it where NLTK looks below one of its folders of data."""
    folder = data / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    lines = sorted(_line(*row.split()) for row in _SENSES.split("\n") if row)
    (folder / "index.sense").write_text("".join(lines), encoding="utf-8")
    for part, forms in _EXCEPTIONS.items():
        (folder / f"{part}.exc").write_text(forms, encoding="utf-8")


def _line(word: str, part: str, synset: str, number: str, count: str) -> str:
    head = "x:00" if part == "adjective" else ":"
    return f"{word}%{_NUMBERS[part]}:00:0{number}:{head} {int(synset):08d} {number} {count}\n"
