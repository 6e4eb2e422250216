"""The reports and projects of a person, for the pages that show or change them."""

from __future__ import annotations

from annotations.people.people import Member, Right
from annotations.store.reports import PersonReports
from pages.server import services


def reports_of(member: Member) -> PersonReports:
    """The reports that a person may see. Raises RightsError for one who may not see scores."""
    member.require(Right.EXPLORE)
    return PersonReports(services.store(), member.id)
