import pickle
import subprocess
import sys
import zipfile

import pytest
import torch

from qviz.errors import RefusedFile
from qviz.sources import pickles
from qviz.sources.base import open_file
from qviz.sources.file import File
from qviz.sources.pickle_names import BEYOND, STEPS, foreign
from qviz.sources.pickles import Metered, check_pickles
from tests.browser.serving import ROOT
from tests.security.builders import Evil


def archive(path, **members):
    with zipfile.ZipFile(path, "w") as made:
        for name, content in members.items():
            made.writestr(f"a/{name.replace('_', '.')}", content)
    return File(path, path.name)


@pytest.mark.parametrize("name", ["data_pkl", "DATA_PKL", "Data_Pkl"])
@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"c__builtin__\nbytearray\n", "bytearray"),
        (b"cbuiltins\nbytearray\n", "bytearray"),
        (b"c_codecs\nencode\n", "_codecs.encode"),
        (b"\x8f" * 50_001, "sets"),
        (b"N" * (3 * 2**20 + 1), "3145729 bytes"),
    ],
)
def test_what_makes_much_out_of_little_is_refused(tmp_path, name, raw, word):
    with pytest.raises(RefusedFile, match=word) as caught:
        check_pickles(archive(tmp_path / "a.pt", **{name: raw}))
    assert caught.value.code == "L01"


def test_numpy_is_told_first_since_its_arrays_bring_bytes(tmp_path):
    raw = b"c_codecs\nencode\ncnumpy.core.multiarray\n_reconstruct\n"
    with pytest.raises(RefusedFile, match="NumPy") as caught:
        check_pickles(archive(tmp_path / "a.pt", data_pkl=raw))
    assert caught.value.code == "L03"


def test_what_stands_in_the_elements_does_not_matter(tmp_path):
    check_pickles(archive(tmp_path / "a.pt", data_pkl=b"}.", data_0=b"\nbytearray\n" * 9))
    words = torch.tensor(list(b"\nbytearray\n"), dtype=torch.uint8)
    torch.save({"w": words}, tmp_path / "b.pt")
    assert bytes(open_file(tmp_path / "b.pt")["w"]) == b"\nbytearray\n"


def test_a_damaged_member_is_refused(tmp_path):
    file = archive(tmp_path / "a.pt", data_pkl=b"N" * 100)
    raw = bytearray(file.path.read_bytes())
    raw[raw.index(b"NNN")] ^= 1  # the checksum no longer holds
    file.path.write_bytes(raw)
    with pytest.raises(RefusedFile, match="do not fit together"):
        check_pickles(File(file.path, "a.pt"))


@pytest.fixture
def metered(tmp_path, monkeypatch):
    monkeypatch.setattr(pickles, "MOST_STEPS", 3)
    (tmp_path / "a.pt").write_bytes(b"one\ntwo\nthree\n")
    with Metered(File(tmp_path / "a.pt", "a.pt"), tmp_path / "a.pt") as stream:
        yield stream


def test_pieces_are_counted(metered):
    assert (metered.read(3), metered.readline(), metered.readline()) == (b"one", b"\n", b"two\n")
    for more in (metered.read, metered.readline):
        with pytest.raises(RefusedFile, match="over 3 parts"):
            more()


def test_elements_are_not_counted_and_no_number_leads_to_the_file(metered):
    for _ in range(9):
        room = bytearray(2)
        metered.seek(4)
        assert metered.readinto(room) == 2 and room == b"tw" and metered.tell() == 6
    assert not hasattr(metered, "fileno")  # with one, torch tries to unpack a tar archive


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_a_checkpoint_of_five_thousand_tensors_opens(tmp_path, zipped):
    state = {f"model.layers.{n}.weight": torch.full((2,), float(n)) for n in range(5_000)}
    torch.save(state, tmp_path / "a.pt", _use_new_zipfile_serialization=zipped)
    source = open_file(tmp_path / "a.pt")
    assert len(source) == 5_000
    assert source["model.layers.4999.weight"].tolist() == [4999, 4999]


def named(*words):
    """A pickle that asks for something by name."""
    return b"\x80\x02" + b"".join(b"c" + b"\n".join(word) + b"\n0" for word in words) + b"."


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (named((b"posix", b"system")), "posix.system"),
        (named((b"__builtin__", b"eval")), "builtins.eval"),
        (named((b"torch", b"FloatStorage"), (b"os", b"remove")), "os.remove"),
        (named((b"torch.nn.modules.linear", b"Linear")), "torch.nn.modules.linear.Linear"),
        (pickle.dumps(print, 4), BEYOND),
        (b"\x80\x02K\x05." + named((b"os", b"remove")), "os.remove"),
        (named((b"torch.nn.parameter", b"Parameter"), (b"collections", b"OrderedDict")), ""),
        (b"\x80\x02X\x0c\x00\x00\x00cos\nremove\n..", ""),  # a text is no name
        (b"N" * (STEPS + 1) + named((b"os", b"remove")), ""),  # for torch to tell
        (b"\x80\x02X\xff\xff\xff\x7fa", ""),
        (b"", ""),
    ],
)
def test_what_no_state_dict_needs_is_told_by_its_name(raw, name):
    assert foreign(raw) == name


def test_torch_is_not_imported_to_refuse_code(tmp_path):
    torch.save({"w": Evil(tmp_path / "flag")}, tmp_path / "evil.pt")
    code = (
        "import sys, time; from qviz.sources.base import open_file\n"
        "start = time.process_time()\n"
        "try:\n    open_file(sys.argv[1])\n"
        "except Exception as error:\n    print(error.code, 'torch' in sys.modules)\n"
        "print(time.process_time() - start)\n"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "evil.pt")]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    said, seconds = ended.stdout.splitlines()
    assert said == "L01 False" and float(seconds) < 2
    assert not (tmp_path / "flag").exists()
