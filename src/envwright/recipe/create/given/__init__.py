"""Files that are copied to where tests and games run; they import nothing of ours."""
