"""The libraries that pages need, which come with the extra ``site``: whether they are there is known at once."""

from __future__ import annotations

from rftheory.errors import BackendUnavailable


def check_extra() -> None:
    """Refuse to make pages where a library is missing.

    Raises
    ------
    BackendUnavailable : the extra ``site`` is not installed.

    Examples
    --------
    >>> check_extra()
    """
    try:
        import jinja2  # noqa: F401
        import latex2mathml.converter  # noqa: F401
        import markdown_it  # noqa: F401
    except ImportError as error:
        raise BackendUnavailable(
            "html", reason=f"{error.name} is not installed", hint="pip install 'rftheory[site]'"
        ) from None
