"""rftheory: a referee for the theory of random features."""

__version__ = "0.1.0"
