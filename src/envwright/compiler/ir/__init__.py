"""What the translator knows of values, and the code it writes for them: small, typed, every name assigned once."""
