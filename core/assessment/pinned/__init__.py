"""Pins: results put onto a report of one's own, with what they came from and what they were then."""
