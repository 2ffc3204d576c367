"""What a run was like, as one page that needs nothing but a browser."""

from envwright.report.page import page as page
from envwright.report.page import write_report as write_report
