"""A rule-based translator from Python environments to JAX: it costs nothing, and refuses by line what it cannot do."""

from envwright.compiler.refusal import Refusal as Refusal
from envwright.compiler.translate import Translation as Translation
from envwright.compiler.translate import translate as translate
