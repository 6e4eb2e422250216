"""The engine: questions planned, looked up, merged, asked on the device or at an endpoint, and folded to scores."""
