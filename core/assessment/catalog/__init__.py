"""Every metric with its state on this machine, and the steps that make it ready."""
