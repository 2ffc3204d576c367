"""The translation: the functions that are asked for, put in order, as text."""
