"""Sampling side: couplings, feature maps and counter-based streams, on arrays only."""
