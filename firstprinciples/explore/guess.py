"""Guess first: a question that the reader answers once, before the answer is shown.

The questions stand here, not in the notebooks, so that nobody reads the answer above the buttons.
"""

import ipywidgets

from firstprinciples.explore import draw
from firstprinciples.explore.stage import WIDE, close_all, take_place

QUESTIONS = {
    "trip.unanswerable": {
        "question": "You ask, in words that the papers use, for something that none of them says. What does a search "
                    "by words put on top?",
        "options": ["nothing", "the piece that comes nearest in meaning", "the piece whose words match best"],
        "answer": "the piece whose words match best",
        "because": "A score says how well words match, not whether the answer is there. In the picture of “A first "
                   "trip”, press “Another question” six times and walk to the last stop.",
    },
    "open_book.middle": {
        "question": "A model answers 56 % of some questions from memory, and 88 % with the one page before it that "
                    "holds the answer. Now it gets 20 pages: that one in place 10, and 19 that don't say it. How many "
                    "does it answer?",
        "options": ["about 88 %, as with the page alone", "about 76 %", "about 64 %", "about 54 %"],
        "answer": "about 54 %",
        "because": "53.8 %, fewer than without any page. At place 1 it was 75.8 %, and at place 20 63.2 %. These are "
                   "published numbers of 2023, not ours: the curve stands further down.",
    },
    "measuring.order": {
        "question": "Ten pages are shown, and k is 10. The four relevant ones stand at places 7 to 10, the best "
                    "of them last. You move the best one to the top. Which numbers stay as they are?",
        "options": ["recall and precision", "recall and nDCG", "precision and the reciprocal rank",
                    "none of them: all four rise"],
        "answer": "recall and precision",
        "because": "Both count what is among the ten, in any order: 1.00 and 0.40, before and after. The reciprocal "
                   "rank goes from 0.14 to 1.00, and nDCG from 0.41 to 0.81.",
    },
    "bm25.repeats": {
        "question": "One page says \"invoice\" 3 times, another of the same length says it 50 times. "
                    "How much does BM25 add to the second page's score for it?",
        "options": ["about 17 times as much", "about 3 times as much", "about a third more", "the same"],
        "answer": "about a third more",
        "because": "BM25 lets repeats fade: 3 mentions count 1.57 and 50 count 2.15. "
                   "Both dots stand in the curve further down.",
    },
    "cosine.length": {
        "question": "A question says “tent” once and “invoice” once. Page A says each of them twice. Write page A four "
                    "times over, so that it says each eight times. What becomes of the cosine of the two?",
        "options": ["four times as large", "smaller: the page is further away", "the same"],
        "answer": "the same",
        "because": "The arrow of page A gets longer and does not turn: the cosine is 1.00 before and after. The dot "
                   "product goes from 4 to 16, and the distance from 1.41 to 9.90.",
    },
    "biencoder.unseen": {
        "question": "A small model trains on 840 pairs of a question and its passage, until it finds every passage of "
                    "them. Then it is asked about eight topics that it never saw: is the right passage among the first "
                    "ten of 192?",
        "options": ["nearly always", "about half of the time", "about one time in four", "no more than by chance"],
        "answer": "about one time in four",
        "because": "0.26 of the questions; chance would find 0.05, and the same model before training 0.06. It has "
                   "learned its pairs largely by heart. A real encoder, trained on over a billion pairs, finds 0.90.",
    },
    "fusion.third": {
        "question": "One list says X, a, Y. The other says b, c, Y. Each list gives a page 1 / (60 + its place), and "
                    "what a page gets is added up. Which page comes first?",
        "options": ["X, first in one list", "Y, third in both", "X and b together, Y behind them"],
        "answer": "Y, third in both",
        "because": "Y has 1/63 + 1/63 = 0.0317, and X has 1/61 = 0.0164. Two votes from the third place beat one from "
                   "the first. Press “Third in both” in the picture below.",
    },
    "failure.lost": {
        "question": "Two searches, by words and by meaning, five chunks, a reader that quotes: of 135 questions about "
                    "Larkspur that have an answer, 46 are answered rightly. For how many of the other 89 did neither "
                    "search find a chunk that holds the line, among its first hundred, though there was one?",
        "options": ["about 60", "about 45", "about 30", "about 6"],
        "answer": "about 6",
        "because": "6. For 6 more the papers themselves had lost the line, and for 1 no chunk holds it whole. For 31 "
                   "a chunk that holds it was found, and did not come to the desk. And for 45 it lay before the "
                   "reader. So look before you buy a better search.",
    },
    "rerank.ceiling": {
        "question": "Of what Larkspur's questions need, a search has 53 % among its first five chunks and 82 % among "
                    "its first hundred. A reader who never errs puts the hundred into a new order, and five are kept. "
                    "How much of what is needed can these five hold?",
        "options": ["53 %", "up to 82 %", "up to 100 %"],
        "answer": "up to 82 %",
        "because": "What is not among the hundred can't be put in front. A second stage finds nothing: it only "
                   "chooses. In the picture below, watch the line that says “ceiling”.",
    },
    "chunking.cut": {
        "question": "Seventy documents are cut every 50 words, wherever that falls. A quote that answers a question is "
                    "18 words long on average. Of 232 quotes, how many are cut, so that no piece holds them whole?",
        "options": ["about 1 in 50", "about 1 in 10", "about 1 in 3", "about 2 in 3"],
        "answer": "about 1 in 3",
        "because": "70 of 232. A quote of 18 words has 17 gaps between its words, and a cut falls into every 50th gap: "
                   "17 of 50 is 0.34.",
    },
    "neighbors.compared": {
        "question": "An index holds 100,000 vectors of 64 numbers, in a hundred clusters: heaps of vectors that lie "
                    "close together. A question is to be given its ten nearest, and one in three hundred of those may "
                    "be missing. With how many of the vectors must it be compared?",
        "options": ["about 50,000", "about 10,000", "about 800", "about 20"],
        "answer": "about 800",
        "because": "HNSW finds 0.997 of the ten nearest with 775 distances, in the mean of 200 questions. It was not "
                   "free: before, to build its graph, the vectors were compared with one another. The chart is at the "
                   "end of the lesson.",
    },
    "quantize.signs": {
        "question": "Of each vector of 384 numbers you keep the signs alone: 48 bytes in place of 1,536. You search by "
                    "them. Of the ten chunks that the full vectors call nearest, how many are still among your ten, on "
                    "average?",
        "options": ["about one", "about three", "nearly six", "nine or ten"],
        "answer": "nearly six",
        "because": "5.7 of ten, over the 300 questions about Larkspur. And nearly all ten are among the first hundred: "
                   "compare only those once more, with their full vectors, and 9.7 of ten are found.",
    },
    "filters.after": {
        "question": "You want the 5 nearest pages of one client. A tenth of all pages are that client's. You search "
                    "for the 20 nearest pages of anybody, and then drop those of others. How many are left?",
        "options": ["all 5", "about 2", "none"],
        "answer": "about 2",
        "because": "20 × 1/10 = 2, if the client has nothing to do with what lies near. To have 5 left you would fetch "
                   "50. In the picture below it is 2 of 5, too.",
    },
    "splade.drawers": {
        "question": "BM25 files a chunk of Larkspur under 48 different words, on average: those that it says. A small "
                    "language model is to file it under the words that somebody might search it by. Under how many?",
        "options": ["about 10", "about 50", "about 150", "about 700"],
        "answer": "about 150",
        "because": "150: 35 terms of its own, and 115 that it does not say. Some of those are what you would hope for, "
                   "and some are not. The index has three times as many cards as BM25's.",
    },
    "maxsim.python": {
        "question": "An encoder gives each word a vector that has read its whole sentence. You ask for “python bite "
                    "treatment”. One passage is about a bite of the snake, another about the language, and each says "
                    "“python” once. The cosine of your “python” and the snake's is 0.90. What is it with the "
                    "language's?",
        "options": ["about 0.1", "about 0.4", "about 0.8", "the same, 0.90"],
        "answer": "about 0.8",
        "because": "0.81. The word has moved with its sentence, but not far. What tells the two passages apart in the "
                   "picture below is the company it keeps: “bite” finds 0.90 in the one and 0.12 in the other.",
    },
    "rewrite.whole_talk": {
        "question": "“and for food?”, somebody asks after a talk about hotels. A search by words reads this last line "
                    "alone. Of fifteen such questions about Larkspur it has an answer among its first ten for 5. Now "
                    "the whole talk is written in front of the line, every word of it. For how many is it there now?",
        "options": ["2: the many words drown the question", "5, as before", "about 8", "12"],
        "answer": "12",
        "because": "12 of 15, by BM25, on the half that may be looked at. What the question lacks stands in the lines "
                   "before it. The lesson asks how few of those words are enough, and what happens when the talk was "
                   "about something else.",
    },
    "corrective.first_true": {
        "question": "Eighty passages on moving clocks: 31 agree with what is known, 30 contradict it, 19 do neither. "
                    "Twenty questions have an answer among them. A search by meaning puts one passage first for each. "
                    "For how many of the twenty is that passage true?",
        "options": ["nearly all", "about 14", "about 10", "about 6"],
        "answer": "about 6",
        "because": "6, and the other 14 are false. Not that a search likes false ones: a coin that is tossed twenty "
                   "times shows heads 6 times or fewer in one of 17 tries. It can't tell them apart, and it does not "
                   "say so.",
    },
    "answers.twenty": {
        "question": "135 questions about Larkspur, and a reader that quotes. With three chunks before it, a page that "
                    "answers is among them for 85 of the questions, and it answers 42 rightly. Now it is handed "
                    "twenty, and such a page is there for 110. How many does it answer rightly?",
        "options": ["about 65: the 25 new ones, too", "about 55: more than half of the new ones",
                    "about 45: a few more", "about 30: the many lines drown it"],
        "answer": "about 45: a few more",
        "because": "45. And it answers 47 wrongly in place of 37, from a prompt that is 5.5 times as long. In the "
                   "picture “Twenty weak chunks or three strong ones?” you can turn it chunk by chunk.",
    },
    "ladder.five": {
        "question": "A search by words, and 135 questions. Five things are added, one on top of the other: vectors, a "
                    "reranker, a line of context before each chunk, rewriting, and filters. After how many of the five "
                    "can it be told that more is found than on the rung below?",
        "options": ["after all five", "after four", "after three", "after one"],
        "answer": "after three",
        "because": "Vectors, context and rewriting. For the reranker and the filters the interval holds 0, on the half "
                   "that may be looked at. In the ladder below these two have a hollow dot.",
    },
    "engines.one_answer": {
        "question": "Our BM25, and the one in SQLite, which comes with Python. The same words, the same formula, but "
                    "for words that stand in half of the chunks or more: they count next to nothing there. 135 "
                    "questions about Larkspur, ten chunks each. For how many does one of the two find an answer that "
                    "the other does not?",
        "options": ["about 60", "about 20", "about 5", "one"],
        "answer": "one",
        "because": "One. And yet both find the same ten for only 39 of the 135. What differs stands mostly further "
                   "down the lists, where only a common word or two is shared.",
    },
    "contextual.lines": {
        "question": "Thirteen chunks. One says “The rate rose to 4 percent.” You ask “What was unemployment in Acme in "
                    "2024?” A search by words does not find it, one by meaning puts it fourth. Now the line “Acme, "
                    "2024, unemployment” is written before it, and before each other chunk a line of its own, too. "
                    "Where is it?",
        "options": ["where it was: all the others have lines as well", "first by meaning, still not found by words",
                    "first by words, fourth by meaning", "first in both"],
        "answer": "first in both",
        "because": "All chunks have lines, but different ones. Two of the thirteen now say Acme, 2024 and "
                   "unemployment. By words the shorter of the two comes first, by meaning the one that speaks of a "
                   "rate: both times it is this one.",
    },
}


class Guess:
    """A question the reader answers once, before the answer is shown. `choice` is the option chosen, or None."""

    def __init__(self, question, options, answer, because):
        if answer not in options:
            raise ValueError(f"The answer {answer!r} is not one of the options: {', '.join(options)}.")
        self.question, self.options, self.answer, self.because, self.choice = question, options, answer, because, None
        self.buttons = [ipywidgets.Button(description=option) for option in options]
        for button in self.buttons:
            button.add_class("fp-option")
            button.on_click(self._chosen)
        row = ipywidgets.HBox(self.buttons)
        row.add_class("fp-row")
        self.reveal = ipywidgets.HTML(self._reveal(), layout=dict(WIDE))
        self.view = ipywidgets.VBox([ipywidgets.HTML(draw.STYLE, layout={"display": "none"}),
                                     ipywidgets.HTML(self._asked()), row, self.reveal], layout={"max_width": "880px"})
        self.view.add_class("fp-guess")
        take_place(self, f"guess: {question}")

    def _chosen(self, button):
        """Keep the first choice, and show it beside the answer.

        The chosen button stays enabled, though it does nothing any more: a disabled one would lose the focus.
        """
        if self.choice is not None:
            return
        self.choice = button.description
        button.add_class("fp-chosen")
        for each in self.buttons:
            each.disabled = each is not button
        self.reveal.value = self._reveal()

    def _asked(self) -> str:
        return (f'<div class="fp"><div class="fp-note">Guess first</div><div style="font-size:16px;font-weight:700;'
                f'line-height:24px">{draw.escape(self.question)}</div></div>')

    def _reveal(self) -> str:
        """Return the card below the buttons: empty lines until the reader has chosen."""
        said = ""
        if self.choice is not None:
            truth = ", and so it is" if self.choice == self.answer else f"; it is <b>{draw.escape(self.answer)}</b>"
            said = f"You said <b>{draw.escape(self.choice)}</b>{truth}. {draw.escape(self.because)}"
        return f'<div class="fp" aria-live="polite" style="min-height:48px">{said}</div>'

    def close(self):
        """Take the question from the page."""
        close_all(self.view)

    def _repr_mimebundle_(self, **_):
        data = dict(self.view._repr_mimebundle_() or {})
        options = "".join(f"<li>{draw.escape(option)}</li>" for option in self.options)
        data["text/plain"] = f"Guess first: {self.question} ({' / '.join(self.options)})"
        data["text/html"] = f"{draw.STYLE}{self._asked()}<ul>{options}</ul>"
        return data


def guess(name: str) -> Guess:
    """Ask the question of a lesson, such as "bm25.repeats". Raises ValueError for a name that is not there."""
    if name not in QUESTIONS:
        raise ValueError(f"There is no question {name!r} to guess at; there are {', '.join(QUESTIONS)}.")
    return Guess(**QUESTIONS[name])
