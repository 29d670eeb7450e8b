"""Runs samplers at size: chunks, mergeable moments, workers, records."""
