"""How often diagnosis is right: all recorded cases, those reconstructed and those captured apart.

``uv run python -m bench.diagnosis [NAME...]`` prints how many causes were named first, how many
were among the first three, how many healthy states it was silent on, how many answers were wrong
and how many it had none for; then in what each answer falls short. "In full" counts answers without
any shortfall: nodes, blame, actions and rollback right as well.
"""

import argparse
from collections import Counter
from collections.abc import Sequence

from tests.cases.case import Case, Origin, Verdict, cases, shortfalls, verdict

Result = tuple[Case, Verdict, str, list[str]]
"""A case, the verdict on the answer, the rule that was named first, and the shortfalls."""


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these cases")
    wanted = parser.parse_args().names
    results = [_judged(case) for case in cases() if not wanted or case.name in wanted]
    for origin in Origin:
        _table(origin, [item for item in results if item[0].expected.origin is origin])
    misses = [item for item in results if item[3]]
    print(f"\n{len(misses)} of {len(results)} answers fall short:")
    for case, how, first, found in misses:
        expected = ", ".join(case.expected.first) or "nothing wrong"
        print(f"{case.name}: {how.value}; expected {expected}; given {first or 'nothing'}")
        for text in found:
            print(f"    {text}")


def _judged(case: Case) -> Result:
    answer = case.diagnosed()
    found = list(shortfalls(case, answer))
    if case.expected.lint:
        said = {item.finding.rule for item in case.linted().findings}
        found += [f"lint does not say {name}" for name in case.expected.lint if name not in said]
    first = answer.causes[0].rule if answer.causes else ""
    return case, verdict(case, answer), first, found


def _table(origin: Origin, results: Sequence[Result]) -> None:
    count = Counter(how for _, how, _, _ in results)
    faults = sum(bool(case.expected.first) for case, _, _, _ in results)
    healthy = len(results) - faults
    full = sum(not found for case, _, _, found in results if case.expected.first)
    print(f"{origin.value}: {faults} with a cause to name, {healthy} without")
    for how in Verdict:
        print(f"  {how.value:<20}{count[how]:>4}")
    print(f"  {'right in full':<20}{full:>4}")


if __name__ == "__main__":
    main()
