"""What the verbs share: exit codes, and files to write to."""

from __future__ import annotations

from rftheory.errors import InvalidInput

MISUSE = 2


def check_writable(option: str, path: str | None) -> None:
    """Refuse a file that cannot be written before the work is done, not after."""
    if path in (None, "-"):
        return
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        raise InvalidInput(
            option, needs="a file that can be written", got=path, hint=str(error.strerror)
        ) from None
