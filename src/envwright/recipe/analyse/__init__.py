"""What a reference's source says, read and never run: what calls what, what changes, where it draws at random."""
