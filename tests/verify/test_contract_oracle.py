"""An oracle of the author's: what always holds, asked of both sides."""

from walking import HERE, failed, judge, terms

from envwright.verifier.verdict import Verdict


def asked(function: str) -> Verdict:
    named = f'version = 1\noracle = "{HERE / "walked.py"}:{function}"'
    return judge(terms().replace("version = 1", named, 1), ("L1",))


def test_steps_of_both_sides_are_looked_at():
    verdict = asked("oracle")
    (check,) = (check for check in verdict.checks if "oracle" in check.name)
    assert check.status == "pass"
    assert check.count > 1000


def test_a_reference_that_breaks_what_always_holds_is_blamed():
    found = failed(asked("strict_oracle"))
    (check,) = (check for name, check in found.items() if "oracle" in name)
    blamed = {divergence.module for divergence in check.divergences}
    assert "reference" in blamed  # it walks as the contract says, and the oracle says that nobody walks so far
    assert all(divergence.column == "walked too far" for divergence in check.divergences)
