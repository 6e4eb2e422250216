"""Training metrics: data, trainers, runs and cards."""
