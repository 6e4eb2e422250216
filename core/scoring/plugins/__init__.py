"""Metrics from elsewhere: functions of a file, each file in a process of its own, and packages that are installed."""
