"""Results that the sources lack, by subject."""
