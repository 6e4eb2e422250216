"""Statistics over arrays: every figure with its interval and the number of cases it rests on."""
