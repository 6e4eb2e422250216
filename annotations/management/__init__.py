"""Management of campaigns: their items, versions, progress, review, and word of them to other servers."""
