"""Hoard: two players take pebbles from three piles in turn; who takes the last one wins. Sometimes one rolls back."""

from envwright import Spec

SPEC = Spec(
    "Hoard-v0",
    "hoard.env:Hoard",
    summary="Pebbles for two (JavaScript to JAX)",
    opponents={"greedy": "hoard.opponents:greedy"},
)
NATIVE = Spec("NativeHoard-v0", "hoard.native:NativeHoard", summary="The same in C", contract="", config="native.toml")
