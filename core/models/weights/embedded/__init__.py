"""The trained metric that comes with Touchstone: its folder `model`, which `make train-embedded` writes."""
