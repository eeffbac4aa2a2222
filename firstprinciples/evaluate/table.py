"""Numbers as lines of text, one row for each retriever or kind of question."""

METRICS = ("nDCG@10", "Recall@10", "Recall@100", "Precision@10", "MRR@10")


def on_one_line(name: str) -> str:
    """Return a name as it is, or in quotes and with escapes where it would break or blur a line of text.

    >>> on_one_line("rare name"), on_one_line("rare\\nname"), on_one_line(" ")
    ('rare name', "'rare\\\\nname'", "' '")
    """
    return name if name.isprintable() and name == name.strip() else repr(name)


def table(rows, columns: tuple[str, ...] = METRICS, first: str = "") -> str:
    """Return the rows {name: {column: value}} as lines of text: numbers to three decimals, texts as they are.

    `rows` may also be a list of (name, {column: value}), in which a name may come twice.

    >>> print(table({"all": {"n": "54", "MRR@10": 0.5}}, ("n", "MRR@10"), "kind"))
    kind   n  MRR@10
    all   54   0.500
    """
    lines = [(first, columns)]
    for name, values in rows.items() if isinstance(rows, dict) else rows:
        cells = [v if isinstance(v := values[c], str) else f"{v:.3f}" for c in columns]
        lines.append((on_one_line(name), cells))
    width, *wide = (max(map(len, column)) for column in zip(*([name, *cells] for name, cells in lines), strict=True))
    return "\n".join(name.ljust(width) + "".join(f"  {cell:>{w}}" for cell, w in zip(cells, wide, strict=True))
                     for name, cells in lines)
