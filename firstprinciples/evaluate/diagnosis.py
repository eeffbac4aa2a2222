"""A diagnosis: what `firstprinciples.evaluate.failure` says of one answer, with all that it looked at.

Who reads "lost in ranking" wants to check it. So a diagnosis keeps, for each needed piece of evidence, what was asked
at each station, what was looked at and what was found; `show` prints it, and `in_words` makes one sentence of it.
"""

from dataclasses import dataclass

ASKED = ("Does the indexed document hold the quote?", "Does some chunk hold it whole?",
         "Was such a chunk among the candidates?", "Did such a chunk lie on the desk?", "Is the answer right?")


@dataclass(frozen=True)
class Looked:
    """One station: its number, from 1, its place, what is asked there, what was looked at and found, and yes or no."""

    number: int
    place: str
    question: str
    looked_at: str
    found: str
    yes: bool


@dataclass(frozen=True)
class Piece:
    """A needed piece of evidence: its document, quote and grade, the place at which it was lost, and the stations.

    `place` is "generation" where it lay on the desk; `repairs` fit to what was found at its place.
    """

    document: str
    quote: str
    grade: int
    place: str
    stations: tuple[Looked, ...]
    repairs: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """What became of one question: place and luck as in `judge`, whether it was right, and what there was to see.

    `stations` and `repairs` are those of the piece that was lost first; `pieces` has all. `sentence` says it in words.
    """

    place: str
    luck: bool
    right: bool
    stations: tuple[Looked, ...]
    pieces: tuple[Piece, ...]
    repairs: tuple[str, ...]
    sentence: str

    def show(self) -> str:
        """Return the diagnosis as plain text: the sentence, each piece with its stations, the repairs."""
        lines = [self.sentence]
        for number, piece in enumerate(self.pieces, 1):
            lost = "it lay on the desk" if piece.place == "generation" else f"lost in {piece.place}"
            lines += ["", f"Piece {number} of {len(self.pieces)}, from {piece.document} ({lost}):",
                      f"   {' '.join(piece.quote.split())}", *map(_row, piece.stations)]
        if not self.pieces:
            lines += ["", *map(_row, self.stations)]
        return "\n".join([*lines, *(["", "What may help:"] if self.repairs else []),
                          *(f"   - {repair}" for repair in self.repairs)])


def in_words(place: str, luck: bool, stations, pieces) -> str:
    """Return a diagnosis in words: the place, what was found there, and what became of the other pieces.

    >>> in_words("chunking", False, [Looked(2, "chunking", ASKED[1], "the 3 chunks of a", "A border.", False)], [])
    'Chunking: A border.'
    """
    if not place:
        return "Right, and all of its evidence lay on the desk." if pieces else "Rightly silent: there is no answer."
    found = next((looked.found for looked in stations if looked.place == place), "")
    lost = [piece.place for piece in pieces if piece.place != "generation"]
    others = f" Of {len(pieces)} pieces that are needed {len(lost)} did not come to the desk." \
        if len(pieces) > 1 and lost else ""
    if not luck:
        return f"{place.capitalize()}: {found}{others}"
    enough = "one piece was enough" if 0 < len(lost) < len(pieces) else "right without its evidence"
    return f"Luck, {enough}; {place}: {found}{others}"


def _row(looked: Looked) -> str:
    """Return one station as a line of text."""
    return f"   {looked.number} {looked.question:<41} {'yes' if looked.yes else 'no ':<3}  {looked.found}"
