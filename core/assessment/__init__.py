"""Assessments that are handed on: audits, gates, papers, pinned results, notebooks and other frameworks."""
