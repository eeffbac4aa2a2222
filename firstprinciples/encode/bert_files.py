"""The learned numbers of a BERT model, read from its folder and checked before anything is used.

The problem. A folder of a model holds three things that must fit each other: model.safetensors (the numbers, each array
with a name), config.json (how many layers, how wide, how many heads), and the vocabulary (vocab.txt, or tokenizer.json
where that is all there is). One of another model among them, or one that a download cut short, would give vectors that
look like any others and mean nothing. So each array is asked for by its name and its shape, and the first thing that
does not fit is named in one sentence.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from firstprinciples.encode.safetensors import read
from firstprinciples.encode.wordpiece import WordPiece

SIZES = ("hidden_size", "intermediate_size", "vocab_size", "max_position_embeddings", "type_vocab_size",
         "num_hidden_layers", "num_attention_heads")


def load(folder) -> SimpleNamespace:
    """Return the arrays of a BERT model, float32, and its sizes and vocabulary, from its folder.

    `words` (words, width) and `places` (places, width) are the tables; `norm` and, in each of `layers`, `query`, `key`,
    `value`, `mix`, `norm`, `up`, `down`, `last_norm` are pairs (weight, bias); `head`, with `dense`, `norm` and `bias`,
    may be None; `vocabulary` is a list. Raises FileNotFoundError for a file that is missing, and ValueError for a
    damaged one and for an array that is missing, has another shape than the configuration says, or holds NaN or
    infinity.

    >>> load("no-such-folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no file config.json in no-such-folder.
    """
    folder = Path(folder)
    config = _config(folder)
    width, inner, words, places = (config[name] for name in SIZES[:4])
    vocabulary = _vocabulary(folder)
    if len(vocabulary) != words:
        raise ValueError(f"The vocabulary has {len(vocabulary):,} pieces, and config.json says {words:,}: they do not "
                         "belong together.")
    take = _Arrays(folder)
    model = SimpleNamespace(width=width, heads=config["num_attention_heads"], eps=config["layer_norm_eps"],
                            vocabulary=vocabulary, norm=take.pair("embeddings.LayerNorm", width), layers=[], head=None)
    model.words = take("embeddings.word_embeddings.weight", words, width)
    # the second row of the third table marks the second of two texts; here there is one text, so its row is added once
    model.places = (take("embeddings.position_embeddings.weight", places, width)
                    + take("embeddings.token_type_embeddings.weight", config["type_vocab_size"], width)[0])
    for number in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{number}."
        model.layers.append(SimpleNamespace(
            query=take.pair(at + "attention.self.query", width, width),
            key=take.pair(at + "attention.self.key", width, width),
            value=take.pair(at + "attention.self.value", width, width),
            mix=take.pair(at + "attention.output.dense", width, width),
            norm=take.pair(at + "attention.output.LayerNorm", width),
            up=take.pair(at + "intermediate.dense", inner, width),
            down=take.pair(at + "output.dense", width, inner),
            last_norm=take.pair(at + "output.LayerNorm", width)))
    at = "cls.predictions."
    if at + "bias" in take.arrays:
        model.head = SimpleNamespace(bias=take(at + "bias", words), norm=take.pair(at + "transform.LayerNorm", width),
                                     dense=take.pair(at + "transform.dense", width, width))
    return model


def _config(folder: Path) -> dict:
    """Return a model's configuration, checked as far as the shapes of its arrays do not check it."""
    config = _json(folder, "config.json")
    for name in SIZES:
        if not isinstance(config, dict) or type(config.get(name)) is not int or config[name] < 1:
            raise ValueError(f"config.json gives no {name}; it is not the configuration of a BERT model.")
    if config["hidden_size"] % config["num_attention_heads"]:
        raise ValueError(f"config.json has {config['num_attention_heads']} heads for {config['hidden_size']} numbers, "
                         "which can't be shared out evenly.")
    if config.get("hidden_act", "gelu") != "gelu":
        raise ValueError(f"config.json asks for {config['hidden_act']!r} between the layers; only gelu is known here.")
    eps = config.setdefault("layer_norm_eps", 1e-12)
    if type(eps) not in (int, float) or not 0 < eps < 1:
        raise ValueError(f"config.json has {eps!r} for layer_norm_eps; a small number above 0 belongs there.")
    return config


def _vocabulary(folder: Path) -> list[str]:
    """Return the pieces in the order of their ids, from vocab.txt or, where that is not there, from tokenizer.json."""
    path = folder / "vocab.txt"
    if path.is_file():
        try:
            return WordPiece(path).vocabulary
        except UnicodeDecodeError:
            raise ValueError("vocab.txt is damaged: it is not UTF-8.") from None
    if not (folder / "tokenizer.json").is_file():
        raise FileNotFoundError(f"There is no file vocab.txt in {folder}.")
    content = _json(folder, "tokenizer.json")
    try:
        pieces = content["model"]["vocab"]
        return sorted(pieces, key=pieces.__getitem__)
    except (KeyError, TypeError, AttributeError):
        raise ValueError("tokenizer.json is damaged: it holds no vocabulary.") from None


def _json(folder: Path, name: str):
    """Return what a JSON file holds."""
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {name} in {folder}.") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{name} is damaged: it is not JSON.") from None


class _Arrays:
    """The arrays of a model's file, by name; where a file has an older name for one, it is given today's."""

    def __init__(self, folder: Path):
        self.arrays = {}
        for name, array in read(folder / "model.safetensors").items():
            name = name.removeprefix("bert.").replace("LayerNorm.gamma", "LayerNorm.weight")
            self.arrays[name.replace("LayerNorm.beta", "LayerNorm.bias")] = array

    def __call__(self, name: str, *shape: int) -> np.ndarray:
        """Return an array as float32; raises ValueError if it is missing, of another shape, or not finite."""
        if name not in self.arrays:
            raise ValueError(f"model.safetensors lacks the array {name!r}: it is of another model.")
        array = self.arrays[name]
        if array.shape != shape:
            raise ValueError(f"In model.safetensors the array {name!r} has the shape {array.shape}, not {shape}: it is "
                             "of another model.")
        array = np.ascontiguousarray(array, dtype=np.float32)
        if not np.isfinite(array).all():
            raise ValueError(f"In model.safetensors the array {name!r} holds NaN or infinity: the file is damaged.")
        return array

    def pair(self, name: str, *shape: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (weight, bias) of one step."""
        return self(name + ".weight", *shape), self(name + ".bias", shape[0])
