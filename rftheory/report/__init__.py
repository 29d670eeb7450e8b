"""Reports of a run: text, JSON, JUnit."""
