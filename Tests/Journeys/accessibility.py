"""What axe finds on a page, and whether it fits its screen."""

from axe_playwright_python.sync_playwright import Axe

import photos
from journey import ensure


def examine(page, what):
    """No rule of WCAG that axe can check is broken."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("""() => axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => `${id} (${nodes[0].html.slice(0, 160)})`))""")
    ensure(not found, f"{what}: {'; '.join(found)}")


def examine_further(page, what):
    """The same for further pages of an app: those that are mirrored have the colours and the labels of those that are
    not, so that all of them are the full run's."""
    is_mirrored = page.evaluate("getComputedStyle(document.documentElement).direction") == "rtl"
    if photos.slices(not is_mirrored, True):
        examine(page, what)


def fits(page, what):
    """Nothing stands over the edge."""
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    ensure(wide <= 0, f"{what}: {wide} px stand over the edge")
