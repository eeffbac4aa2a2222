"""Opposites, and words that deny: a general list for English, written by hand before the grader was tried on a passage.

Each line of FAMILIES has two sides; every word of one is an opposite of every word of the other. Forms are spelled out
(slow, slower, slowly), so that no stemmer is needed. A word may stand in several lines: "short" is the opposite of
"long" and of "tall". It is far from whole, and opposites that only a setting makes, as "bus" and "train", can't be in
it. What its writer knew of the passages is told in data/SOURCES.md.
"""

# Each of these turns what follows it around. "Hardly" and "rarely" deny as good as wholly.
NEGATING = tuple((
    "not no never none nothing nobody nowhere neither nor cannot can't won't don't doesn't didn't isn't aren't wasn't "
    "weren't hasn't haven't hadn't couldn't wouldn't shouldn't without hardly rarely barely"
).split())

# What ends the reach of a denial: "not here, but there". Punctuation ends it, too.
TURNS = ("but", "however", "yet", "although", "though", "whereas", "while", "because", "instead", "only")

FAMILIES = tuple(tuple(side.split() for side in line.split("|")) for line in """
slow slower slowest slowly slows slowed slowing | fast faster fastest quick quicker quickest quickly rapid rapidly
slow slows slowed slowing decelerate decelerates decelerated | hasten hastens speeds sped accelerate accelerates \
accelerated
more most greater greatest larger largest bigger biggest | less least fewer fewest smaller smallest lesser
large big great huge | small little tiny slight
much many | little few
long longer longest | short shorter shortest brief briefer
tall taller tallest | short shorter shortest
lengthen lengthens lengthened stretch stretches stretched | shorten shortens shortened shrink shrinks shrank shrunk \
contract contracts contracted
expand expands expanded expansion | contract contracts contracted contraction shrink shrinks
high higher highest | low lower lowest
increase increases increased increasing rise rises rose risen grow grows grew grown growing gain gains gained | \
decrease decreases decreased decreasing fall falls fell fallen drop drops dropped decline declines declined shrink \
shrinks shrank lose loses lost
raise raises raised | lower lowers lowered reduce reduces reduced
heavy heavier heaviest | light lighter lightest
strong stronger strongest strongly | weak weaker weakest weakly
thick thicker | thin thinner
wide wider widest broad broader | narrow narrower narrowest
deep deeper | shallow shallower
far farther farthest further furthest distant | near nearer nearest close closer closest
above over | below under beneath
up upward upwards | down downward downwards
top upper | bottom lower
front forward forwards ahead | back rear backward backwards behind
left | right
inside inner within internal | outside outer external
before earlier earliest early prior sooner precede precedes preceded | after later latest late subsequent follow \
follows followed
first | last second
past | future
older oldest old ancient | younger youngest young newer newest new recent
ages aged | younger
begin begins began begun start starts started beginning | end ends ended stop stops stopped finish finishes finished \
ending
open opens opened | close closes closed shut
arrive arrives arrived arrival come comes came | leave leaves left depart departs departed departure go goes went
enter enters entered | exit exits exited leave leaves
approach approaches approached approaching toward towards | recede recedes receded receding away
send sends sent emit emits emitted | receive receives received absorb absorbs absorbed
give gives gave given | take takes took taken
push pushes pushed | pull pulls pulled
attract attracts attracted | repel repels repelled
join joins joined unite united together | separate separates separated part apart alone
add adds added plus | subtract subtracts subtracted minus remove removes removed
multiply multiplied times | divide divided
win wins won | lose loses lost
succeed succeeds succeeded success successful | fail fails failed failure unsuccessful
allow allows allowed permit permits permitted | forbid forbids forbidden prevent prevents prevented prohibit \
prohibited
accept accepts accepted | reject rejects rejected refuse refuses refused
confirm confirms confirmed support supports supported prove proves proved proven | refute refutes refuted contradict \
contradicts contradicted disprove disproves disproved deny denies denied
agree agrees agreed agreement | disagree disagrees disagreed disagreement conflict
same equal equally identical alike | different differ differs differed unequal unequally distinct unlike
equality | inequality
constant fixed unchanged steady steadily uniform uniformly | changing varying variable unsteady changed varies vary \
changes
keep keeps kept stay stays stayed remain remains remained | change changes changed
always ever | never
often frequently usually mostly | rarely seldom hardly
all every each everyone everything | none no nothing nobody
both | neither
any some somebody something | none nobody nothing
whole entire full complete completely fully | partial partly part incomplete empty
full filled | empty emptied
only alone solely | also too
possible can | impossible cannot can't
certain sure | uncertain unsure doubtful
true right correct correctly real really actual genuine | false wrong incorrect incorrectly wrongly unreal apparent \
imaginary illusion
exact exactly precise precisely accurate | approximate approximately rough roughly inexact inaccurate
known | unknown
visible seen | invisible unseen hidden
present | absent missing
exist exists existed | vanish vanishes vanished disappear disappears disappeared
alive live lives | dead die dies died
active | passive idle
moving moves moved motion move | still rest resting stationary motionless stands
straight | bent curved crooked slanted
parallel along lengthwise | perpendicular across crosswise transverse
horizontal | vertical
symmetric symmetrical symmetrically mutual reciprocal | asymmetric asymmetrical one-sided
absolute | relative
relevant matters | irrelevant
dependent depends depend | independent independently regardless
simple easy simpler easier easily | complicated complex difficult hard harder
hot hotter warm warmer | cold colder cool cooler
bright brighter light | dark darker dim dimmer
loud louder | quiet quieter silent
wet | dry
clean | dirty
hard rigid stiff | soft flexible elastic
smooth | rough
good better best well | bad worse worst badly poor poorly
cheap cheaper | expensive costly dearer
rich richer | poor poorer
safe safely | dangerous unsafe
legal lawful | illegal unlawful
positive | negative
maximum maximal most | minimum minimal least
infinite unlimited endless | finite limited
natural | artificial
public | private
common ordinary usual everyday | rare unusual extraordinary
single one | several many multiple
alternately | simultaneously together
simultaneous simultaneously | successive successively
cause causes caused | prevent prevents prevented
include includes included including with | exclude excludes excluded excluding without
love loves loved like likes | hate hates hated dislike dislikes
remember remembers remembered | forget forgets forgot forgotten
day | night
summer | winter
north northern | south southern
east eastern eastward eastwards | west western westward westwards
buy buys bought | sell sells sold
credit | debit
paid | unpaid owed owing outstanding due
profit gain | loss
""".strip().split("\n"))


def opposites_in(families) -> dict[str, list[str]]:
    """Return {word: its opposites, in alphabetical order} from pairs of sides; looked up both ways.

    >>> opposites_in([(["slow", "slower"], ["fast"]), (["fast"], ["loose"])])["fast"]
    ['loose', 'slow', 'slower']
    """
    out = {}
    for one, other in families:
        for words, against in ((one, other), (other, one)):
            for word in words:
                out.setdefault(word, set()).update(set(against) - {word})
    return {word: sorted(against) for word, against in sorted(out.items())}


OPPOSITES = opposites_in(FAMILIES)
