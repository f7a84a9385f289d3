"""Settings that stand in two places agree, and Streamlit knows each of ours."""

import os
import re
import tomllib

import pytest
from streamlit import config

from tests.browser.serving import ROOT

SAFE = {
    "server.address": "127.0.0.1",
    "server.maxUploadSize": 500,
    "server.maxMessageSize": 50,
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.enableStaticServing": False,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.showSidebarNavigation": False,
    "client.toolbarMode": "minimal",
}


def toml(name):
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def flat(table, prefix=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def test_package_and_requirements_name_the_same_versions():
    assert toml("pyproject.toml")["project"]["dependencies"] == pins("requirements.txt")


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_exact(name):
    for pin in pins(name):
        assert re.fullmatch(r"[a-z-]+(\[[a-z]+\])?==\d+(\.\d+)+", pin)


def test_hooks_use_the_ruff_of_the_requirements():
    (wanted,) = [pin for pin in pins("requirements-dev.txt") if pin.startswith("ruff==")]
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"ruff==[\d.]+", text) == [wanted, wanted]


def test_streamlit_knows_every_option():
    known = set(config.get_config_options())
    assert {name for name, _ in flat(toml(".streamlit/config.toml"))} <= known


def test_the_app_keeps_to_itself():
    shipped = dict(flat(toml(".streamlit/config.toml")))
    assert {name: shipped.get(name) for name in SAFE} == SAFE
    assert "server.enableAgentApi" not in shipped


def test_both_themes_set_the_same_colours():
    themes = toml(".streamlit/config.toml")["theme"]
    type_size = {"metricValueFontSize"}
    # a base would keep the app from following the system
    assert themes.keys() - type_size == {"light", "dark"}
    assert dict(flat(themes["light"])).keys() == dict(flat(themes["dark"])).keys()


def test_the_check_script_stops_at_the_first_failure():
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8").splitlines()
