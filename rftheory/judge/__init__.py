"""Statistics and verdicts: exact-variance tests, power, family-wise level."""
