"""Make reference_bert.npz: what torch and transformers give for 20 texts, with the files of both models.

    python tests/oracles/reference_bert.py

`texts` are the texts; `minilm` (20, 384) their vectors: the mean of the last layer over all tokens, of length 1;
`splade` (20, 501) the largest logit over the tokens of each 61st word of the vocabulary. Needs torch, transformers and
the model files.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_suffix(".npz")
EVERY = 61  # words of SPLADE's vocabulary; all 30,522 would be 2 MB
TEXTS = [
    "how much do we owe",
    "The amount owing is 1,284.50 and is due on March 3, 2024.",
    "E_4432",
    "reset my password",
    "Steps for credential recovery: ask the help desk for a one-time code, then choose a new word.",
    "Is the tent LK-204-B under warranty, or isn't it?",
    "annual leave, holiday, sick day",
    "",
    "a",
    "[MASK] is the capital of France.",
    "Überweisung an die Spedition: Rechnung Nr. 1042, fällig am 3. März",
    "Счёт за электричество за июль",
    "الفاتورة لم تُدفع بعد",
    "請查看合約第三條",
    "초과근무 수당은 얼마입니까?",
    "बिल कब देना है?",
    "😀 zero\u200bwidth\tand\u00a0odd spaces \u0007",
    "supercalifragilisticexpialidocious " * 3,
    "The rope is inspected after each day of climbing, and the date is written on its tag. " * 6,
    "The warehouse opens at seven. Whoever comes first switches on the lights and signs the book. " * 24,
]


def torch_minilm(folder, texts, max_tokens=256):
    """Return torch's hidden states of each text, without filling up, for a folder of the model: a list of arrays."""
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(folder, local_files_only=True).eval()
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
                for ids in their_ids(folder, texts, max_tokens)]


def torch_splade(folder, texts, max_tokens=512):
    """Return torch's logits of each text, (tokens, words)."""
    import torch
    from transformers import BertForMaskedLM

    model = BertForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([ids])).logits[0].numpy() for ids in their_ids(folder, texts, max_tokens)]


def their_ids(folder, texts, max_tokens):
    """Return the ids of each text from the package tokenizers."""
    from tokenizers import BertWordPieceTokenizer

    from firstprinciples.encode.bert import Bert

    pieces = Bert(folder).tokenizer.vocabulary  # a model may have it in tokenizer.json
    tokenizer = BertWordPieceTokenizer({piece: i for i, piece in enumerate(pieces)})
    tokenizer.enable_truncation(max_tokens)
    return [tokenizer.encode(text).ids for text in texts]


def main():
    """Write the file."""
    from firstprinciples import models

    rows = np.array([vectors.mean(axis=0) for vectors in torch_minilm(models.files("minilm"), TEXTS)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    best = np.array([logits.max(axis=0)[::EVERY] for logits in torch_splade(models.files("splade-tiny"), TEXTS)])
    np.savez_compressed(FILE, texts=np.array(TEXTS), minilm=rows.astype(np.float32), splade=best.astype(np.float32))
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
