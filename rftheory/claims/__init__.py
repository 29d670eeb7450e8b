"""The catalogue of claims; the only importer of both the exact and the sampling side."""
