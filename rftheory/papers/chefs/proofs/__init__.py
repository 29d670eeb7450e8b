"""Derivations, imported when one of them is first needed."""
