"""The original read, statement by statement: what Python means, in terms of the values of `ir`."""
