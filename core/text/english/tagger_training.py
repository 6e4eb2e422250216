"""Train the tagger on treebanks in CoNLL-U: `python -m core.text.english.tagger_training [--test FILE] FILES…`."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.text.english.syntax import split_tokens
from core.text.english.tagger import WEIGHTS_FILE, Weights, best_tag, history_features, lexical_features

Tagged = tuple[tuple[str, ...], tuple[str, ...]]
"""(tokens, their tags)"""

_ROUNDS = 6
_MIN_WEIGHT = 100  # hundredths: smaller ones change hardly a tag and are most of the file
_MIN_COUNT = 6  # times in the treebank: what is rarer makes the file large and the tags hardly better
_CLITICS = frozenset({"POS", "RB", "VBZ", "VBP", "VBD", "MD"})


def read_treebank(files: Iterable[Path]) -> Iterator[Tagged]:
    """The sentences of CoNLL-U files in our tokens; a gold token that ours holds gives a part of its tag."""
    for file in files:
        for block in file.read_text(encoding="utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
            text = next((line[9:] for line in block.splitlines() if line.startswith("# text = ")), "")
            if not rows or not text:
                continue
            gold: list[tuple[int, int, str]] = []
            place = 0
            for row in rows:
                start = text.find(row[1], place)
                if row[0].isdigit() and start >= 0:
                    place = start + len(row[1])
                    gold.append((start, place, row[4]))
            ours = split_tokens(text)
            tags = [
                [
                    (tag, text[start:end])
                    for start, end, tag in gold
                    if start < token.span.end and end > token.span.start
                ]
                for token in ours
            ]
            tagged = [
                (token.text, _joined_tag(token.text, some)) for token, some in zip(ours, tags, strict=True) if some
            ]
            yield tuple(word for word, _ in tagged), tuple(tag for _, tag in tagged)


def _joined_tag(word: str, parts: list[tuple[str, str]]) -> str:
    if not word[0].isalnum():
        return word if len(parts) > 1 or parts[0][1] != word else parts[0][0]
    if len(parts) == 1:
        return parts[0][0]
    last = parts[-1][0]
    if last in _CLITICS and ("'" in parts[-1][1] or "’" in parts[-1][1]):
        return f"{_joined_tag(word, parts[:-1])}+{last}"
    return "JJ" if last in {"VBN", "VBG", "VBD"} else last if last != "HYPH" else parts[0][0]


def train(sentences: list[Tagged], rounds: int = _ROUNDS, seed: int = 0) -> Weights:
    """Averaged weights in tenths; the same seed gives the same weights."""
    seen = Counter(
        feature
        for words, tags in sentences
        for place, lexical in enumerate(lexical_features(words))
        for feature in (*lexical, *history_features(words, place, tags))
    )
    weights: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    totals: defaultdict[tuple[str, str], int] = defaultdict(int)
    changed: defaultdict[tuple[str, str], int] = defaultdict(int)
    rng, step = random.Random(seed), 0

    def move(feature: str, tag: str, by: int) -> None:
        totals[feature, tag] += (step - changed[feature, tag]) * weights[feature][tag]
        changed[feature, tag] = step
        weights[feature][tag] += by

    weights["bias"]["NN"] = 0
    for _ in range(rounds):
        for words, gold in rng.sample(sentences, len(sentences)):
            tags: list[str] = []
            for place, lexical in enumerate(lexical_features(words)):
                step += 1
                candidates = [*lexical, *history_features(words, place, tags)]
                features = [feature for feature in candidates if seen[feature] >= _MIN_COUNT]
                guess = best_tag(weights, features)
                if guess != gold[place]:
                    for feature in features:
                        move(feature, gold[place], 1)
                        move(feature, guess, -1)
                tags.append(guess)
    for feature, tag in totals:
        totals[feature, tag] += (step - changed[feature, tag]) * weights[feature][tag]

    rounded: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (name, label), total in sorted(totals.items()):
        weight = round(100 * total / step)
        if abs(weight) >= _MIN_WEIGHT:
            rounded[name][label] = round(weight / 10)
    return dict(rounded)


def accuracy(weights: Weights, sentences: Iterable[Tagged]) -> float:
    """The share of tokens that get the tag of the treebank."""
    right = total = 0
    for words, gold in sentences:
        tags: list[str] = []
        for place, lexical in enumerate(lexical_features(words)):
            tags.append(best_tag(weights, [*lexical, *history_features(words, place, tags)]))
        right += sum(tag == expected for tag, expected in zip(tags, gold, strict=True))
        total += len(gold)
    return right / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--test", nargs="*", default=[], type=Path)
    arguments = parser.parse_args()
    weights = train([*read_treebank(arguments.files)])
    packed = json.dumps(weights, ensure_ascii=False, separators=(",", ":")).encode()
    WEIGHTS_FILE.write_bytes(gzip.compress(packed, mtime=0))
    print(f"{len(weights)} features, {WEIGHTS_FILE.stat().st_size} bytes")  # noqa: T201  # a script
    for file in arguments.test:
        print(f"{file.name}: {accuracy(weights, read_treebank([file])):.4f}")  # noqa: T201  # a script


if __name__ == "__main__":
    main()
