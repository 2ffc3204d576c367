"""Contracts drafted by rule: the reference is played and watched, and what was seen becomes codecs and tables."""
