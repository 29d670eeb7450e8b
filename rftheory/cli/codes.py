"""Exit codes that the verbs share."""

MISUSE = 2
