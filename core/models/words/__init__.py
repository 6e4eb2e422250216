"""The networks of the metrics that are trained here: word features, trees, attention heads."""
