"""Says whether a translation behaves like its reference, and where it does not."""

from envwright.verifier.verdict import Divergence as Divergence
from envwright.verifier.verdict import Verdict as Verdict
