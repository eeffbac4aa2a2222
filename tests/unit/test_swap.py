"""Putting a learner's function in the place of the course's own, and taking it out again."""

import pytest

from firstprinciples import swap
from firstprinciples.evaluate import metrics
from firstprinciples.retrieve import bm25
from firstprinciples.swap import home, in_use, on_change, reference, split_name, untouched, use

OWN_IDF, OWN_DCG = bm25.idf, metrics.dcg


def one(n, df):
    return 1.0


def two(n, df):
    return 2.0


@pytest.fixture(autouse=True)
def put_back():
    """Leave nothing behind for the next test, and start from the course's own functions."""
    assert bm25.idf is OWN_IDF and in_use() == []
    yield
    use("bm25.idf")
    use("metrics.dcg")
    assert bm25.idf is OWN_IDF and metrics.dcg is OWN_DCG and in_use() == []


def toy_score():
    # K is 1, so the weight is 2.2 / 2.2 = 1: what is left is the idf
    return bm25.score(["tent"], ["tent"], [["tent"], ["cup"]])


def test_use_and_put_back():
    assert toy_score() == pytest.approx(0.6931472)  # ln(1 + 1.5 / 1.5)
    made = use("bm25.idf", one)
    assert toy_score() == 1.0
    assert (bm25.idf, in_use(), repr(made)) == (one, ["bm25.idf"], "bm25.idf now runs on your function.")
    back = use("bm25.idf")
    assert toy_score() == pytest.approx(0.6931472)
    assert (bm25.idf, in_use(), repr(back)) == (OWN_IDF, [], "bm25.idf now runs on the course's own function.")


def test_a_second_use_replaces_the_first_and_the_reference_stays_the_courses_own():
    use("bm25.idf", one)
    use("bm25.idf", two)
    assert toy_score() == 2.0
    assert reference("bm25.idf") is OWN_IDF
    use("bm25.idf")
    assert bm25.idf is OWN_IDF


def test_two_tasks_at_once():
    use("metrics.dcg", sum)
    use("bm25.idf", one)
    assert in_use() == ["bm25.idf", "metrics.dcg"]
    assert metrics.ndcg_at_k(["x", "a"], {"a": 3}, k=2) == 1.0  # without discount 3 / 3
    use("bm25.idf")
    assert in_use() == ["metrics.dcg"]


def test_a_with_block_puts_back_what_was_there():
    with use("bm25.idf", one) as inside:
        assert toy_score() == 1.0
        assert inside.name == "bm25.idf"
    assert bm25.idf is OWN_IDF and in_use() == []


def test_with_blocks_inside_each_other():
    with use("bm25.idf", one):
        with use("bm25.idf", two):
            assert toy_score() == 2.0
            with use("bm25.idf"):
                assert (bm25.idf, in_use()) == (OWN_IDF, [])
            assert toy_score() == 2.0
        assert (toy_score(), in_use()) == (1.0, ["bm25.idf"])
    assert (bm25.idf, in_use()) == (OWN_IDF, [])


def test_a_with_block_after_use_goes_back_to_that():
    use("bm25.idf", one)
    with use("bm25.idf", two):
        assert toy_score() == 2.0
    assert toy_score() == 1.0


def test_a_with_block_that_fails_puts_back_too():
    with pytest.raises(ZeroDivisionError):
        with use("bm25.idf", lambda n, df: 1 / 0):
            toy_score()
    assert bm25.idf is OWN_IDF and in_use() == []


def test_using_the_courses_own_function_is_not_a_replacement():
    use("bm25.idf", OWN_IDF)
    assert in_use() == []


def test_a_stub_is_not_put_in():
    def stub(n, df):
        raise NotImplementedError("bm25.idf: not written yet")

    made = use("bm25.idf", stub)
    assert repr(made) == "bm25.idf is not written yet; the course's own function stays."
    assert (bm25.idf, in_use()) == (OWN_IDF, [])


@pytest.mark.parametrize("name, sentence", [
    ("bm25.bm26", "There is no function 'bm26' in bm25."),
    ("bm25", "There is no function '' in bm25."),
    ("bm25.", "There is no function '' in bm25."),
    ("bm25.__doc__", "There is no function '__doc__' in bm25."),  # there, but not a function
    ("nothing.idf", "There is no module 'nothing' in this course."),
    (".idf", "There is no module '' in this course."),
    ("../bm25.idf", "There is no module '' in this course."),
    ("/bm25.idf", "There is no module '/bm25' in this course."),
    ("draw.frame", "There is no module 'draw' in this course."),  # explore/ and grading/ hold no tasks
    ("check.check", "There is no module 'check' in this course."),
])
def test_unknown_names(name, sentence):
    for ask in (lambda: use(name, one), lambda: use(name), lambda: reference(name), lambda: split_name(name)):
        with pytest.raises(ValueError) as caught:
            ask()
        assert str(caught.value) == sentence
    assert in_use() == []


@pytest.mark.parametrize("thing, kind", [(3, "int"), ("idf", "str"), ([one], "list")])
def test_what_cannot_be_called(thing, kind):
    with pytest.raises(TypeError) as caught:
        use("bm25.idf", thing)
    assert str(caught.value) == f"use('bm25.idf', ...) needs a function, not {kind}."
    assert bm25.idf is OWN_IDF and in_use() == []


def test_home_and_split_name():
    assert home("bm25") is bm25
    assert home("text").__name__ == "firstprinciples.text"
    assert split_name("metrics.dcg") == (metrics, "dcg")
    assert reference("metrics.dcg") is OWN_DCG


def test_untouched():
    use("bm25.idf", one)
    use("metrics.dcg", sum)
    with untouched():
        assert (bm25.idf, metrics.dcg) == (OWN_IDF, OWN_DCG)
        assert toy_score() == pytest.approx(0.6931472)
        with untouched():
            assert bm25.idf is OWN_IDF
        assert bm25.idf is OWN_IDF
    assert (bm25.idf, metrics.dcg, in_use()) == (one, sum, ["bm25.idf", "metrics.dcg"])


def test_untouched_puts_back_after_an_error_and_with_nothing_in_use():
    with untouched():
        assert bm25.idf is OWN_IDF
    use("bm25.idf", one)
    with pytest.raises(KeyError):
        with untouched():
            raise KeyError
    assert bm25.idf is one


def test_listeners_hear_every_change_until_they_stop():
    heard = []
    stop = on_change(lambda: heard.append(bm25.idf))
    use("bm25.idf", one)
    with use("bm25.idf", two):
        pass
    use("bm25.idf")
    assert heard == [one, two, one, OWN_IDF]  # each is called after the change
    stop()
    use("bm25.idf", one)
    assert len(heard) == 4
    stop()  # twice does no harm


def test_a_listener_may_stop_another_while_it_is_called():
    heard, before = [], list(swap._listeners)
    stops = [on_change(lambda: (heard.append("a"), stops[1]())), on_change(lambda: heard.append("b"))]
    use("bm25.idf", one)
    use("bm25.idf", two)
    assert heard == ["a", "b", "a"]
    stops[0]()
    assert swap._listeners == before
