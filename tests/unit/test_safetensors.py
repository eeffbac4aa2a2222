"""Reading .safetensors files: what is right is read, and each kind of damage is named in one sentence."""

import json

import numpy as np
import pytest

from firstprinciples.encode.safetensors import DTYPES, arrays_of, read


def packed(header, numbers=b"", length=None):
    """Return the bytes of a file from its header, an object or bytes, and its numbers."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode("utf-8")
    return (len(header) if length is None else length).to_bytes(8, "little") + header + numbers


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


TWO = {"b": entry("F32", [2], 12, 20), "a": entry("F32", [3, 1], 0, 12), "__metadata__": {"format": "pt"}}
NUMBERS = np.array([1, 2, 3, -0.5, 7], "<f4").tobytes()


def test_two_arrays_whatever_their_order_in_the_header():
    arrays = arrays_of(packed(TWO, NUMBERS))
    assert list(arrays) == ["b", "a"]
    assert arrays["a"].tolist() == [[1], [2], [3]] and arrays["b"].tolist() == [-0.5, 7]
    assert arrays["a"].dtype == np.float32 and not arrays["a"].flags.writeable


@pytest.mark.parametrize("dtype", sorted(set(DTYPES) - {"BF16"}))
def test_each_kind_of_number(dtype):
    values = np.array([[0, 1, 1], [1, 0, 0]]).astype(DTYPES[dtype])
    array = arrays_of(packed({"x": entry(dtype, [2, 3], 0, values.nbytes)}, values.tobytes()))["x"]
    assert array.tolist() == values.tolist() and array.shape == (2, 3)
    assert array.dtype == (np.float32 if dtype == "F16" else np.dtype(DTYPES[dtype]))


def test_16_bits_become_32():
    half = np.array([1.5, -2.25, 65504], "<f2")
    assert arrays_of(packed({"x": entry("F16", [3], 0, 6)}, half.tobytes()))["x"].tolist() == [1.5, -2.25, 65504]
    # bfloat16 has the sign, the exponent and 7 bits of float32: 1.0 is 3f80, -2.5 is c020, 3.0e38 is nearly 7f62
    brain = np.array([0x3F80, 0xC020, 0x7F62], "<u2")
    array = arrays_of(packed({"x": entry("BF16", [3], 0, 6)}, brain.tobytes()))["x"]
    assert array.dtype == np.float32 and array[:2].tolist() == [1.0, -2.5]
    assert array[2] == pytest.approx(3.0e38, rel=0.01)


def test_an_array_of_one_number_and_one_of_none():
    arrays = arrays_of(packed({"one": entry("F32", [], 0, 4), "none": entry("F32", [0, 5], 4, 4)}, b"\0\0\x80\x3f"))
    assert arrays["one"].tolist() == 1.0 and arrays["one"].shape == () and arrays["none"].shape == (0, 5)
    one = arrays_of(packed({"one": entry("BF16", [], 0, 2)}, b"\x80\x3f"))["one"]
    assert one.tolist() == 1.0 and one.shape == () and not one.flags.writeable


DAMAGED = {
    "empty": (b"", "it has 0 bytes, and the length of its header alone takes 8"),
    "five bytes": (b"\1\0\0\0\0", "it has 5 bytes, and the length"),
    "a page of the web": (b"<!DOCTYPE html><html>", "it says that its header has [0-9,]* bytes, which cannot be"),
    "a header longer than the file": (packed(TWO, length=5000), "should have 5,000 bytes, but the whole file has"),
    "a header cut short": (packed(TWO)[:40], "its header should have 162 bytes, but the whole file has 40"),
    "no JSON": (packed(b'{"a": ', NUMBERS), "its header is not JSON"),
    "no UTF-8": (packed(b'{"\xff": 1}', NUMBERS), "its header is not JSON"),
    "JSON without end": (packed(b"[" * 100_000, NUMBERS), "its header is not JSON"),
    "a list": (packed([1, 2], NUMBERS), "its header is not a JSON object"),
    "no array": (packed({"__metadata__": {}}), "it holds no array"),
    "a name twice": (packed(b'{"a": 1, "b": 2, "a": 3}'), "the name 'a' stands twice"),
    "no entry": (packed({"a": 3}, NUMBERS), "the array 'a' lacks its dtype, its shape or its data_offsets"),
    "no shape": (packed({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, NUMBERS), "the array 'a' lacks its dtype"),
    "dtype unknown": (packed({"a": entry("F8_E4M3", [20], 0, 20)}, NUMBERS), "kind 'F8_E4M3'; known are F64"),
    "dtype no string": (packed({"a": entry(["F32"], [5], 0, 20)}, NUMBERS), r"numbers of kind \['F32'\]"),
    "shape below 0": (packed({"a": entry("F32", [-5], 0, 20)}, NUMBERS), r"has \[-5\] for a shape"),
    "shape with a point": (packed({"a": entry("F32", [5.0], 0, 20)}, NUMBERS), r"has \[5.0\] for a shape"),
    "shape no list": (packed({"a": entry("F32", 5, 0, 20)}, NUMBERS), "has 5 for a shape"),
    "one offset": (packed({"a": {**entry("F32", [5], 0, 20), "data_offsets": [0]}}, NUMBERS), r"\[0\] for offsets"),
    "offsets below 0": (packed({"a": entry("F32", [5], -20, 0)}, NUMBERS), r"\[-20, 0\] for offsets"),
    "offsets turned around": (packed({"a": entry("F32", [5], 20, 0)}, NUMBERS), "needs 20 bytes for its shape"),
    "offsets and shape apart": (packed({"a": entry("F32", [5], 0, 16)}, NUMBERS), "needs 20 bytes .* 0 to byte 16"),
    "a shape beyond all": (packed({"a": entry("F32", [2**40, 2**40], 0, 20)}, NUMBERS), "larger than any array can be"),
    "no number of a shape beyond all": (packed({"a": entry("F32", [0, 2**40, 2**40], 0, 0)}), "larger than any array"),
    "too many axes": (packed({"a": entry("F32", [5] + [1] * 40, 0, 20)}, NUMBERS), r"1, \.\.\.\], which is larger"),
    "a number without end": (packed(b'{"a": {"dtype": "I8", "data_offsets": [0, 4], "shape": [' + b"9" * 5000 + b"]}}"),
                             r"has \[inf\] for a shape"),
    "a name without end": (packed({"a" * 10**6: 3}, NUMBERS), r"the array 'a{40,60}\.\.\.a{40,60}' lacks its dtype"),
    "outside the file": (packed({"a": entry("F32", [6], 0, 24)}, NUMBERS), "end at byte 24 of the numbers"),
    "numbers cut short": (packed(TWO, NUMBERS[:-1]), "'b' should end at byte 20 .* only 19: the file is cut short"),
    "overlap": (packed({"a": entry("F32", [3], 0, 12), "b": entry("F32", [3], 8, 20)}, NUMBERS), "'a' and 'b' overlap"),
    "amid a number": (packed({"a": entry("U8", [2], 0, 2), "b": entry("F32", [4], 2, 18)}, NUMBERS[:18]),
                      "'b' begins at byte 2, which is no multiple of the 4 bytes"),
    "a gap": (packed({"a": entry("F32", [1], 0, 4), "b": entry("F32", [2], 12, 20)}, NUMBERS), "'b' lie 8 bytes"),
    "a rest": (packed({"a": entry("F32", [4], 0, 16)}, NUMBERS), "behind its last array lie 4 bytes"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(name, tmp_path):
    data, sentence = DAMAGED[name]
    path = tmp_path / "model.safetensors"
    path.write_bytes(data)
    beginning = "^model.safetensors is damaged or no safetensors file: "
    with pytest.raises(ValueError, match=f"{beginning}.*{sentence}") as raised:
        read(path)
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value) and len(str(raised.value)) < 400


def test_a_name_that_stands_twice_among_very_many():
    names = ",".join(f'"{i}":1' for i in range(50_000))
    with pytest.raises(ValueError, match="the name '49999' stands twice"):  # in a moment, not in minutes
        arrays_of(packed(f'{{{names},"49999":1}}'.encode()))


def test_every_shorter_file_is_refused():
    whole = packed(TWO, NUMBERS)
    assert len(arrays_of(whole)) == 2
    for length in range(len(whole)):
        with pytest.raises(ValueError):
            arrays_of(whole[:length])


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*none\.safetensors\.$"):
        read(tmp_path / "none.safetensors")
    with pytest.raises(ValueError, match=r" cannot be read \(.*\): a file that you may read belongs there\.$"):
        read(tmp_path)
