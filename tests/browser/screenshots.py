"""Photograph every page: ``python -m tests.browser.screenshots FOLDER``."""

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from tests.browser.serving import FLAGS, ROOT, chromium, idle, serving

THEMES = ("light", "dark")
SIZES = ((1440, 900), (390, 844))


def addresses(root=ROOT):
    """Picture name -> path in the app's address, found by listing pages/."""
    found = {"home": "/"}
    for script in sorted((root / "pages").glob("*.py"), key=number):
        title = re.sub(r"^\d+_", "", script.stem)
        found[title.lower().replace("_", "-")] = f"/{title}"
    return found


def number(script):
    """Number in front of a page's name, then the name: the order of the pages."""
    digits = re.match(r"\d+", script.name)
    return (int(digits.group()) if digits else 0, script.name)


def photograph(browser, url, theme, size, folder):
    """Every page in one theme and size."""
    width, height = size
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=theme)
    page = context.new_page()
    for name, path in addresses().items():
        file = folder / f"{name}-{theme}-{width}.png"
        try:
            page.goto(url + path)
            idle(page)
            page.evaluate("document.fonts.ready.then(() => true)")
            page.screenshot(path=file, animations="disabled")
        except (Error, AssertionError) as error:
            reason = str(error).strip().partition("\n")[0]
            sys.exit(f"The page {path} could not be photographed ({theme}, {width} px): {reason}")
        print(file, flush=True)
    context.close()


def main(folder):
    """Start the app, take the pictures, stop it."""
    program = chromium()
    if not program:
        sys.exit("No Chromium on this machine (Debian: apt-get install chromium).")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        with serving(Path(scratch) / "output.txt") as url:
            for theme in THEMES:
                for size in SIZES:
                    photograph(browser, url, theme, size, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
