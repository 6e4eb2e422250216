"""Sources that pages and commands read alike: data of audits, finished audits, thresholds and pins."""
