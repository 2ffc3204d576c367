"""References written in Python: any object, its state walked, its chance recorded, its lines watched."""

from envwright.references.python.reference import Driver as Driver
from envwright.references.python.reference import PythonReference as PythonReference
