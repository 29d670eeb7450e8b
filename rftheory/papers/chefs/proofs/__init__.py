"""Derivations: imported when one of them is asked for."""
