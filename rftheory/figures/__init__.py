"""One function per paper figure: data first (JSON), then drawing."""
