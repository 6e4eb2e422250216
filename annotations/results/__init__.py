"""Results of a campaign: labels, agreement, and the final answer of each task."""
