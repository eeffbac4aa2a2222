"""A question as a statement: the stand-in for the answer that a language model would make up for HyDE.

HyDE searches with a made-up answer, since an answer looks more like a page than a question does. To make one up takes
a model. What a rule can do is to put the question's own words into the order of an answer. That changes its shape and
adds no word, so little is to be expected of it; lesson 16 measures how little.
"""

from firstprinciples.generate.checks import as_text

DO = ("do", "does", "did")
BE = ("is", "are", "was", "were")
HELPING = (*BE, "can", "could", "may", "might", "must", "shall", "should", "will", "would", "has", "have", "had")
ASKING = ("what", "which", "who", "whom", "whose", "when", "where", "why", "how")
TAILS = {"when": "on", "where": "at", "why": "because"}  # how the answer to such a question goes on
BEFORE_A_NOUN = tuple("the a an my our your their his her its this that these those any all every each".split())
# verbs whose past does not end in -ed
PAST = dict(pair.split(":") for pair in (
    "be:was become:became begin:began break:broke bring:brought build:built buy:bought catch:caught choose:chose "
    "come:came cost:cost cut:cut do:did draw:drew drive:drove fall:fell find:found get:got give:gave go:went grow:grew "
    "have:had hear:heard hold:held keep:kept know:knew lay:laid lead:led leave:left lend:lent let:let lose:lost "
    "make:made mean:meant meet:met pay:paid put:put read:read run:ran say:said see:saw sell:sold send:sent set:set "
    "shut:shut speak:spoke spend:spent stand:stood steal:stole take:took teach:taught tell:told think:thought "
    "throw:threw understand:understood wear:wore win:won write:wrote").split())


def statement(question: str) -> str:
    """Turn a question into the opening of an answer, by a few rules: a stand-in for the answer a model would write.

    The question mark and the asking word go (when, how many ...); "do", "does" and "did" go, and after "did" the verb
    gets its past form; any other helping verb moves behind its subject, which is one word, or two where the first is
    "the", "my" or the like; "on", "at" or "because" comes at the end for when, where and why. What is no such question
    stays as it is. It knows nothing and so it adds nothing: what HyDE lives on, the words that stand in the page and
    not in the question, can't come from a rule.

    >>> statement("When did Brightwater pay?"), statement("How high is the fence?")
    ('Brightwater paid on', 'the fence is high')
    """
    words = as_text(question).strip().rstrip("?!. ").split()
    lower = [word.lower() for word in words]
    asking = lower[0] if lower and lower[0] in ASKING else ""
    place = next((place for place, word in enumerate(lower) if word in (*DO, *HELPING)), None)
    if place is None or (place > 0 and not asking):
        return " ".join([*words[bool(asking):], *filter(None, [TAILS.get(asking)])]) or " ".join(words)
    start = bool(asking) + (lower[1:2] in (["many"], ["much"], ["long"], ["often"]))
    asked, helping, rest = words[start:place], lower[place], words[place + 1:]
    if asking and asking != "how" and helping in BE and not asked and asking not in TAILS:
        return " ".join([*rest, helping])  # what is X -> X is
    if asked and helping not in DO and (asking != "how" or start > 1):
        return " ".join(words[start:])  # which contracts were renewed -> contracts were renewed
    size = 2 if rest and rest[0].lower() in BEFORE_A_NOUN else 1
    subject, verb = rest[:size], rest[size:]
    if helping == "did":
        verb = [_past(verb[0]), *verb[1:]] if verb else []
    elif helping not in DO:
        verb = [words[place].lower(), *verb]
    return " ".join([*subject, *verb, *asked, *filter(None, [TAILS.get(asking)])])


def _past(verb: str) -> str:
    """Return the past form of a verb: from the list, or with -ed.

    >>> _past("pay"), _past("move"), _past("carry")
    ('paid', 'moved', 'carried')
    """
    if verb.lower() in PAST:
        return PAST[verb.lower()]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou") else verb + "ed"
