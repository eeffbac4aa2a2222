"""Compare the speed of our encoder with torch, on the same two cores, turn by turn, in one run.

    python tests/benchmarks/bench_bert.py [--tokens 20000] [--pairs 5]

Needs torch, transformers and the files of both models. The texts are made of Larkspur's chunks, some short, some as
long as the model takes. Both sides get the same token ids, and both use two threads: torch two of its own, ours two
Python threads with one BLAS thread each.

MiniLM: all texts to their vectors. Torch runs the very same batches of texts of about one length, which suits it best,
and, in the third column, the 32 texts at a time that are usual. SPLADE-tiny: all texts to the largest weight of each
word. Torch does it as is usual: the logits of all tokens and words, log(1 + relu), the mask, the maximum.

Each pair is one run of ours and one of theirs. The ratio is theirs divided by ours, so that above 1 ours is faster; the
median over the pairs counts. Seconds of the clock are what a reader waits, but on a busy machine they say little; then
the seconds of processor time, of both threads together, say more. It asserts nothing.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["OMP_NUM_THREADS"] = "2"  # torch's; before it is imported

try:
    import torch
    from transformers import BertForMaskedLM, BertModel
except ImportError as error:
    sys.exit(f"This needs torch and transformers ({error}).")
import numpy as np  # noqa: E402

from firstprinciples import models  # noqa: E402
from firstprinciples.corpus import Collection  # noqa: E402
from firstprinciples.encode import fast_bert  # noqa: E402
from firstprinciples.encode.bert import Bert, mean_over_tokens  # noqa: E402


def made_up(tokens, tokenizer, seed=0):
    """Return texts of about so many tokens in all, of 5 to 256 tokens each."""
    draw = np.random.default_rng(seed)
    words = " ".join(chunk.text for chunk in Collection.load("larkspur").chunks).split()
    texts, total = [], 0
    while total < tokens:
        start, length = draw.integers(0, len(words) - 250), int(draw.choice([6, 20, 60, 120, 200]))
        texts.append(" ".join(words[start:start + length]))
        total += len(tokenizer.ids(texts[-1], 256)[0])
    return texts


def filled_up(model, texts, size=None):
    """Return torch's tensors of ids and masks: our batches, or `size` texts at a time, sorted by length."""
    rows = [model.tokenizer.ids(text, model.max_tokens)[0] for text in texts]
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    plan = fast_bert.batches([len(row) for row in rows])
    if size:
        plan = [order[i:i + size] for i in range(0, len(order), size)]
    filled = (fast_bert.fill_up([rows[i] for i in batch]) for batch in plan)
    return [(torch.from_numpy(ids), torch.from_numpy(mask.astype(np.int64))) for ids, mask in filled], plan


@torch.inference_mode()
def torch_minilm(model, batches):
    """Return the mean of the last layer of each text, batch after batch."""
    out = []
    for ids, mask in batches:
        hidden, real = model(input_ids=ids, attention_mask=mask).last_hidden_state, mask[..., None]
        out.append((hidden * real).sum(1) / real.sum(1))
    return torch.cat(out).numpy()


@torch.inference_mode()
def torch_splade(model, batches):
    """Return the weights of each text, batch after batch, the usual way."""
    return torch.cat([(torch.log1p(torch.relu(model(input_ids=ids, attention_mask=mask).logits)) * mask[..., None])
                      .max(dim=1).values for ids, mask in batches]).numpy()


def compare(title, tokens, sides, pairs):
    """Run the sides in turn, ours first, print their seconds and the ratios."""
    for side in sides.values():
        side()  # once to warm up
    clocks = {"clock": time.perf_counter, "processor": time.process_time}
    seconds = {(name, clock): [] for name in sides for clock in clocks}
    for _ in range(pairs):
        for name, side in sides.items():
            starts = {clock: read() for clock, read in clocks.items()}
            side()
            for clock, read in clocks.items():
                seconds[name, clock].append(read() - starts[clock])
    print(f"{title}, {tokens:,} tokens, {pairs} pairs")
    for (name, clock), values in seconds.items():
        ratio = median(value / own for value, own in zip(values, seconds["ours", clock], strict=True))
        print(f"    {name:24} {clock:10} best {min(values):6.2f} s   median {median(values):6.2f} s   "
              f"ratio {ratio:.2f}")


def main():
    """Measure both models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    folders = {name: models.files(name) for name in models.MODELS}
    if None in folders.values():
        sys.exit("This needs the model files: python3 -m firstprinciples models")
    torch.set_num_threads(2)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch", "transformers"))
    print(f"Python {platform.python_version()}, {packages}, {os.cpu_count()} cores; float32, two threads a side\n")

    model, other = Bert(folders["minilm"], 256), BertModel.from_pretrained(folders["minilm"]).eval()
    texts = made_up(options.tokens, model.tokenizer)
    tokens = sum(len(model.tokenizer.ids(text, 256)[0]) for text in texts)
    same, plan = filled_up(model, texts)
    usual, _ = filled_up(model, texts, 32)
    ours = np.array(model.run(texts, mean_over_tokens))[[i for batch in plan for i in batch]]
    print(f"MiniLM: largest difference of a mean {np.abs(ours - torch_minilm(other, same)).max():.1e}")
    compare("MiniLM (target: at least 0.75)", tokens, {
        "ours": lambda: model.run(texts, mean_over_tokens), "torch, our batches": lambda: torch_minilm(other, same),
        "torch, 32 texts a batch": lambda: torch_minilm(other, usual)}, options.pairs)

    model, other = Bert(folders["splade-tiny"], 256), BertForMaskedLM.from_pretrained(folders["splade-tiny"]).eval()
    usual, plan = filled_up(model, texts, 32)
    ours = np.log1p(np.maximum(model.best_logits(texts), 0))[[i for batch in plan for i in batch]]
    print(f"\nSPLADE-tiny: largest difference of a weight {np.abs(ours - torch_splade(other, usual)).max():.1e}")
    same, _ = filled_up(model, texts)
    compare("SPLADE-tiny (target: at least 2)", tokens, {
        "ours": lambda: np.log1p(np.maximum(model.best_logits(texts), 0)),
        "torch, 32 texts a batch": lambda: torch_splade(other, usual),
        "torch, our batches": lambda: torch_splade(other, same)}, options.pairs)


if __name__ == "__main__":
    main()
