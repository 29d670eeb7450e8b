"""``rftheory site``: everything as static pages."""

from __future__ import annotations

import argparse


def add_site(verb: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
