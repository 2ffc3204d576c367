"""The notebook in examples/ runs, and what the functions return shows itself in it."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "tour.ipynb"


@pytest.mark.filterwarnings("ignore")  # those of Jupyter's own packages
def test_the_notebook_runs_and_its_results_show_themselves(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {
        cell.source.split("\n")[-1]: output.data.get("text/html", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }
    assert "PASS" in shown["verdict"]
    assert "Verified" in shown["made"]
    assert "times the original" in shown["made"]
    assert "mean return" in shown["policy"]
    assert "data:image/png;base64" in shown["policy"]
