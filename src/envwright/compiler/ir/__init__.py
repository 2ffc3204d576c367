"""The intermediate representation: abstract values, and single-assignment code for them."""
