"""The shallow model: how far six features of the surface go in predicting labels, or the scores of a metric."""
