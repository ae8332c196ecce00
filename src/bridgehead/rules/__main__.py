"""Prints the reference page of rules: ``python -m bridgehead.rules > docs/reference/rules.md``."""

import sys

from bridgehead.rules.reference import reference

sys.stdout.write(reference())
