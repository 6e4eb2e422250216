"""The bench without a face: texts, edits, metrics, models and the engine that joins them."""
