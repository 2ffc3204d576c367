"""Games for people: in sentences, as a page, as text at a terminal, as a picture."""
