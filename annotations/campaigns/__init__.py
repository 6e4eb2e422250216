"""Campaigns: many people label the same items over weeks, blind and by rules."""
