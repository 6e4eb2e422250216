"""Numerals and numbers in words with their exact values, and units of measurement with their factors."""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SMALL = {word: value for value, word in enumerate(_ONES)} | _TENS
SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "lakh": 10**5,
    "crore": 10**7,
    "mn": 10**6,
    "mln": 10**6,
    "mio": 10**6,
    "bn": 10**9,
    "tn": 10**12,
    "k": 10**3,
    "dozen": 12,
    "hundred": 100,
}
"""Words and signs that multiply the number before them; "m" for millions is a unit of length too."""
_LARGE = {word: SCALES[word] for word in ("thousand", "million", "billion", "trillion", "lakh", "crore", "dozen")}
_VULGAR = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
}
_SHARES = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "tenth": 10,
    "tenths": 10,
}
_MAX_LENGTH = 1_000  # characters or words; a longer run is a code or a table, and int() refuses 4,300 digits
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")

_GROUPS = (
    r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:['’]\d{3})+|\d{1,3}(?: \d{3})+(?!\d)|\d{1,3}(?:_\d{3})+"
)
NUMERAL = (
    rf"(?:\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}}|(?:{_GROUPS})(?:\.\d+)?|\d+ \d/\d(?!\d)|\d+/\d+(?![\d/])|\d+(?:[.,]\d+)?(?: ?[{''.join(_VULGAR)}])?|[{''.join(_VULGAR)}])"
    r"(?:[eE][+-]?\d+(?!\w)| ?[×x*] ?10(?:\^-?\d+|[⁻−]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
)
"""Pattern of a number in figures."""
_WORD = "|".join(sorted([*_SMALL, "hundred", *_LARGE], key=len, reverse=True))
_SHARE = "|".join(sorted(_SHARES, key=len, reverse=True))
WORDS = (
    rf"(?:(?:half an?|an?) (?=hundred|{'|'.join(_LARGE)}))?(?:{_WORD})\b(?:(?:[ -]| and )(?:{_WORD})\b)*(?:(?: and an?)? half| and a quarter| and three quarters)?"
    rf"(?: point(?: (?:{'|'.join(_ONES[:10])})\b)+)?(?: (?:{'|'.join(_LARGE)})\b)*(?:[ -](?:{_SHARE})\b)?|(?:a )?half\b|a (?:third|quarter)\b"
)
"""Pattern of a number in words, without regard to case."""


def numeral_values(numeral: str) -> frozenset[Fraction]:
    """The values that a number in figures may have: "3.400" is 3.4, or 3400 as some countries group; none beyond 1,000 characters."""
    if len(numeral) > _MAX_LENGTH:
        return frozenset()
    base, power = _power(numeral)
    return frozenset(value * power for value in _base_values(base))


def _power(numeral: str) -> tuple[str, Fraction]:
    match = re.fullmatch(r"(.*?)(?:[eE]([+-]?\d+)| ?[×x*] ?10\^?([-⁻−\d⁰¹²³⁴⁵⁶⁷⁸⁹]+))", numeral)
    if not match:
        return numeral, Fraction(1)
    exponent = int((match[2] or match[3]).translate(_SUPERSCRIPT))
    return match[1], Fraction(10) ** max(min(exponent, 99), -99)


def _base_values(base: str) -> list[Fraction]:
    if base[-1] in _VULGAR:
        whole = base[:-1].strip()
        return [(Fraction(whole.replace(",", ".")) if whole else Fraction(0)) + Fraction(*_VULGAR[base[-1]])]
    if "/" in base:
        whole, _, share = base.rpartition(" ")
        over, under = map(int, share.split("/"))
        return [int(whole or 0) + Fraction(over, under)] if under else []
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", base):
        return [Fraction(base.replace(".", "").replace(",", "."))]
    plain = re.sub(r"['’_ ]", "", base)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?", plain):
        return [Fraction(plain.replace(",", ""))]
    value = Fraction(plain.replace(",", "."))
    return [value, Fraction(plain.replace(".", ""))] if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", plain) else [value]


def words_value(phrase: str) -> Fraction | None:
    """The value of a number in words; None for words that are no one number, as "five six"."""
    words = phrase.lower().replace("-", " ").split()
    scale = Fraction(1)
    if words[0] == "half" and words[1:2] in (["a"], ["an"]):
        scale, words = Fraction(1, 2), words[2:]
    if words[0] in {"a", "an"}:
        words = ["one", *words[1:]]
    if words[-1] in _SHARES and words[-2:-1] not in (["a"], ["an"], ["and"]):
        if len(words) == 1:
            return Fraction(1, 2)
        over = words_value(" ".join(words[:-1]))
        return None if over is None else over / _SHARES[words[-1]]
    added = Fraction(0)
    for tail, share in (
        (["and", "a", "half"], Fraction(1, 2)),
        (["and", "a", "quarter"], Fraction(1, 4)),
        (["and", "three", "quarters"], Fraction(3, 4)),
    ):
        for place in range(1, len(words)):
            if words[place : place + len(tail)] == tail:
                words, added = words[:place] + words[place + len(tail) :], share
    if "point" in words:
        return _with_decimals(words)
    large = [word for word in words if word.removesuffix("s") in _LARGE]
    value = _whole(words)
    if value is None:
        return None
    # "two and a half million": the share is of what it multiplies
    factor = _LARGE[large[-1].removesuffix("s")] if added and large and words[-1] == large[-1] else 1
    return scale * (value + added * factor)


def _with_decimals(words: list[str]) -> Fraction | None:
    place = words.index("point")
    digits = [word for word in words[place + 1 :] if word in _SMALL]
    factors = [_LARGE[word.removesuffix("s")] for word in words[place + 1 :] if word.removesuffix("s") in _LARGE]
    whole = _whole(words[:place])
    if whole is None or len(words) > _MAX_LENGTH:
        return None
    value = Fraction(f"{whole}.{''.join(str(_SMALL[word]) for word in digits)}")
    for factor in factors:
        value *= factor
    return value


def _whole(words: list[str]) -> int | None:
    words = [word.removesuffix("s") if word.removesuffix("s") in {*_LARGE, "hundred"} else word for word in words]
    values = [_SMALL.get(word) for word in words]
    tens = [value for value in values if value is not None]
    if len(tens) == len(words) and 2 <= len(words) <= 3 and 13 <= tens[0] <= 20 and tens[1] >= 10:
        return tens[0] * 100 + tens[1] + (tens[2] if len(tens) > 2 and tens[2] < 10 else 0)  # nineteen ninety-nine
    total = group = 0
    last: int | None = None
    for word in words:
        if word == "and":
            last = None if group % 100 == 0 else last
            continue
        if word in _LARGE:
            total, group, last = total + (group or 1) * _LARGE[word], 0, None
        elif word == "hundred":
            group, last = (group or 1) * 100, None
        else:
            value = _SMALL[word]
            if last is not None and not (last in _TENS.values() and 0 < value < 10):
                return None
            group, last = group + value, value
    return total + group


_TABLE: dict[str, list[tuple[str, Fraction | int]]] = {
    "share": [
        ("%|percent|per cent|per-cent|pct", Fraction(1, 100)),
        ("‰|per mille?", Fraction(1, 1000)),
        ("basis points?|bps", Fraction(1, 10000)),
    ],
    "metre": [
        ("m|metres?|meters?", 1),
        ("km|kms|kilometres?|kilometers?", 1000),
        ("cm|centimetres?|centimeters?", Fraction(1, 100)),
        ("mm|millimetres?|millimeters?", Fraction(1, 1000)),
        ("miles?|mi", Fraction("1609.344")),
        ("ft|foot|feet", Fraction("0.3048")),
        ("inch|inches", Fraction("0.0254")),
        ("yards?|yd", Fraction("0.9144")),
    ],
    "gram": [
        ("g|grams?|grammes?", 1),
        ("kg|kgs|kilograms?|kilogrammes?|kilos?", 1000),
        ("mg|milligrams?", Fraction(1, 1000)),
        ("µg|mcg|micrograms?", Fraction(1, 10**6)),
        ("t|tonnes?|metric tons?", 10**6),
        ("lbs?", Fraction("453.59237")),
        ("oz|ounces?", Fraction("28.349523125")),
    ],
    "second": [
        ("s|secs?|seconds?", 1),
        ("ms|milliseconds?", Fraction(1, 1000)),
        ("mins?|minutes?", 60),
        ("h|hrs?|hours?", 3600),
        ("days?", 86400),
        ("weeks?", 7 * 86400),
        ("fortnights?", 14 * 86400),
    ],
    "month": [("months?", 1), ("years?|yrs?", 12), ("decades?", 120), ("century|centuries", 1200)],
    "litre": [
        ("l|L|litres?|liters?", 1),
        ("ml|mL|millilitres?|milliliters?", Fraction(1, 1000)),
        ("cl|centilitres?", Fraction(1, 100)),
    ],
    "square metre": [
        ("m²|m2|sq m|square metres?|square meters?", 1),
        ("km²|km2|sq km|square kilometres?|square kilometers?", 10**6),
        ("ha|hectares?", 10**4),
        ("acres?", Fraction("4046.8564224")),
        ("square miles?|sq mi", Fraction("2589988.110336")),
    ],
    "metre per second": [
        ("m/s|metres per second|meters per second", 1),
        ("km/h|kph|kmh|kilometres (?:per|an) hour|kilometers (?:per|an) hour", Fraction(5, 18)),
        ("mph|miles (?:per|an) hour", Fraction("0.44704")),
    ],
    "watt": [("W|watts?", 1), ("kW|kilowatts?", 10**3), ("MW|megawatts?", 10**6), ("GW|gigawatts?", 10**9)],
    "watt hour": [
        ("Wh|watt[- ]hours?", 1),
        ("kWh|kilowatt[- ]hours?", 10**3),
        ("MWh|megawatt[- ]hours?", 10**6),
        ("GWh|gigawatt[- ]hours?", 10**9),
    ],
    "byte": [
        ("bytes?", 1),
        ("kB|KB|kilobytes?", 10**3),
        ("MB|megabytes?", 10**6),
        ("GB|gigabytes?", 10**9),
        ("TB|terabytes?", 10**12),
    ],
    "dollar": [("dollars?|USD|bucks", 1), ("cents?", Fraction(1, 100))],
    "euro": [("€|euros?|EUR", 1)],
    "pound": [("pounds?(?: sterling)?|GBP", 1), ("pence", Fraction(1, 100))],
    "yen": [("yen|JPY", 1)],
    "celsius": [("°C|° C|degrees? (?:celsius|centigrade)", 1)],
    "fahrenheit": [("°F|° F|degrees? fahrenheit", 1)],
}
_SIGNS = {
    "$": "dollar",
    "US$": "dollar",
    **{f"{country}$": f"dollar of {country}" for country in ("A", "AU", "C", "CA", "HK", "NZ", "S", "SG")},
    "USD ": "dollar",
    "€": "euro",
    "EUR ": "euro",
    "£": "pound",
    "GBP ": "pound",
    "¥": "yen",
}
BEFORE = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
"""Pattern of the signs of currencies before a number."""
_PATTERNS = [
    (re.compile(names, 0 if len(names.split("|")[0]) < 3 else re.IGNORECASE), unit, Fraction(factor))
    for unit, rows in _TABLE.items()
    for names, factor in rows
]
AFTER = "|".join(
    sorted(
        (name for rows in _TABLE.values() for names, _ in rows for name in re.split(r"\|(?![^(]*\))", names)),
        key=len,
        reverse=True,
    )
)
"""Pattern of the names and signs of units after a number."""

Measure = tuple[str, Fraction]
"""A unit and an amount of it: the base unit of its kind."""


def measure(amount: Fraction, name: str) -> Measure | None:
    """The amount in the base unit of what a name or sign, before or after the number, stands for; None for no unit."""
    if unit := _SIGNS.get(name.strip()) or _SIGNS.get(f"{name.strip()} "):
        return unit, amount
    match = next(((unit, factor) for pattern, unit, factor in _PATTERNS if pattern.fullmatch(name)), None)
    if match is None:
        match = next(((unit, factor) for pattern, unit, factor in _PATTERNS if pattern.fullmatch(name.lower())), None)
    if match is None:
        return None
    unit, factor = match
    return ("celsius", (amount - 32) * 5 / 9) if unit == "fahrenheit" else (unit, amount * factor)
