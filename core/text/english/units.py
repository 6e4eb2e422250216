"""Units of measurement with known factors, by the words and signs that they are written with."""

from __future__ import annotations

import re
from fractions import Fraction

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
