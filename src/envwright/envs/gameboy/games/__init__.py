"""Our own games, a folder each; their source is in roms/."""
