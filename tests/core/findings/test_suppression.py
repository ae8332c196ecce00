"""Which findings a comment sets aside, and which comments have nothing to do."""

from bridgehead.core.findings.result import Reported
from bridgehead.core.findings.suppression import Ignore, Sifted, sift
from tests.core.findings.lint_values import found


def _ignore(target: int, *rules: str, reason: str = "why", file: str = "dir/a.yaml") -> Ignore:
    return Ignore(
        file=file, line=max(1, target - 1), column=1, target=target, rules=rules, reason=reason
    )


def _sifted(item: Reported, *ignores: Ignore) -> Sifted:
    return sift([item], ignores)


def test_at_the_line_of_the_finding() -> None:
    ignore = _ignore(7, "fault", "other")
    sifted = _sifted(found(), ignore)
    assert sifted.standing == ()
    assert sifted.aside == ((found(), ignore),)
    assert sifted.idle == ((ignore, "other"),)


def test_at_the_objects_first_line_it_counts_for_the_whole_object() -> None:
    assert _sifted(found(), _ignore(2, "fault")).standing == ()


def test_at_another_line_in_another_file_or_of_another_rule_it_does_not_count() -> None:
    for ignore in (_ignore(6, "fault"), _ignore(7, "fault", file="b.yaml"), _ignore(7, "fau")):
        sifted = _sifted(found(), ignore)
        assert sifted.standing == (found(),)
        assert sifted.idle == ((ignore, ignore.rules[0]),)


def test_a_former_name_of_the_rule_counts_as_well() -> None:
    sifted = _sifted(found(aliases=("older",)), _ignore(7, "older"))
    assert (sifted.standing, sifted.idle) == ((), ())


def test_without_a_reason_it_sets_nothing_aside() -> None:
    sifted = _sifted(found(), _ignore(7, "fault", reason=""))
    assert (len(sifted.standing), sifted.idle) == (1, ())


def test_above_nothing_it_counts_for_nothing() -> None:
    nowhere = found(file="", line=0, first_line=0)
    assert _sifted(nowhere, _ignore(0, "fault", file="")).standing == (nowhere,)


def test_two_comments_for_one_finding_have_both_something_to_do() -> None:
    assert _sifted(found(), _ignore(7, "fault"), _ignore(2, "fault")).idle == ()
