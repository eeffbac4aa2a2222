"""What the browser tests of lessons do with a notebook's page: fill, run and read the cells with these ids."""

import re

from playwright.sync_api import expect


def set_cell(page, id: str, source: str):
    """Put a text into the cell with this id."""
    page.evaluate("""([id, source]) => {
        const cells = window.jupyterapp.shell.currentWidget.content.widgets;
        cells.find(cell => cell.model.id === id).model.sharedModel.setSource(source);
    }""", [id, source])


def run_cells(page, *ids: str):
    """Run these cells, each until it has finished, and leave the last one in view."""
    for id in ids:
        page.evaluate("""async (id) => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.id === id);
            await notebook.scrollToItem(notebook.activeCellIndex, 'start');
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }""", id)


def cell(page, id: str):
    """Return the element of the cell with this id, scrolled into view."""
    page.evaluate("""async (id) => {
        const notebook = window.jupyterapp.shell.currentWidget.content;
        const index = notebook.widgets.findIndex(cell => cell.model.id === id);
        await notebook.scrollToItem(index, 'start');
        notebook.widgets[index].node.dataset.id = id;
    }""", id)
    return page.locator(f".jp-Cell[data-id='{id}']")


def errors(page) -> list[str]:
    """Return the errors that the notebook's cells ended with."""
    return page.evaluate("""() => window.jupyterapp.shell.currentWidget.content.widgets
        .filter(cell => cell.model.type === 'code')
        .flatMap(cell => cell.model.outputs.toJSON())
        .filter(output => output.output_type === 'error').map(output => output.evalue)""")


def printed(page, id: str) -> str:
    """Return what a cell printed."""
    return page.evaluate("""(id) => window.jupyterapp.shell.currentWidget.content.widgets
        .find(cell => cell.model.id === id).model.outputs.toJSON().map(output => output.text ?? '').join('')""", id)


def dial(element, name: str):
    """Return the handle of a slider by its label."""
    return element.locator(".widget-slider").filter(has_text=re.compile(rf"^\s*{name}")).get_by_role("slider")


def press(element, name: str):
    """Press a button by keyboard."""
    button = element.get_by_role("button", name=name, exact=True)
    button.focus()
    button.press("Enter")


def choose(element, name: str):
    """Press one of a group of toggle buttons by keyboard, and see that it is down."""
    button = element.get_by_role("button", name=name, exact=True)
    button.focus()
    button.press("Enter")
    expect(button).to_have_class(re.compile("mod-active"))


def says(picture, pattern: str, **options):
    """Expect the label of a picture, the sentence that it says to a screen reader, to hold a pattern."""
    expect(picture).to_have_attribute("aria-label", re.compile(pattern), **options)
