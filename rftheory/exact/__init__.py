"""Theory side: closed forms, enclosures and derivations (sympy, mpmath, python-flint)."""
