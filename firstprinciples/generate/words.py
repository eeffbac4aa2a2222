"""The word lists behind the rules of `rewrite`: written by hand, for English."""

# a question with one of these leans on what was said before
POINTING = tuple((
    "it its it's that that's this those these them they they're their theirs he he's him his she she's her hers one "
    "ones"
).split())

# words that say little about what is asked
COMMON = tuple((
    "a about after again all also am an and any anybody anyone anything are as at be because been before being both "
    "but by can could did do does doing don't each else ever every few for from get gets getting go goes going got "
    "had has have he her hers him his how i i'd i'll i'm i've if in into is isn't it it's its just let like long lot "
    "made make many may me might mine more most much must my need never no nor not now of off ok okay on once one "
    "ones only or other our ours out over own please put right said same say says shall she should since so some "
    "somebody someone something still such sure take tell than thank thanks that that's the their theirs them then "
    "there these they thing things this those through to too under until up upon us very want was we well were what "
    "when where whether which while who whom whose why will with without would yes yet you your yours"
).split())

# Words that may stand for each other in an office or a shop: a general list, made without a look at any document. One
# meaning each, so "charge" (a laptop? a fee?) and "lead" are left out.
GROUPS = tuple(group.split() for group in """
invoice bill | invoices bills | pay settle | paid settled | buy purchase | bought purchased | sell offer |
price cost | refund reimbursement | cover reimburse | revenue sales turnover | profit earnings |
debt liability | loan credit | raise increase | grow increase | drop decrease fall | discount reduction |
money funds | overdue late | owed due outstanding | owe due | gift present | gifts presents | client customer |
clients customers | supplier vendor | suppliers vendors | competitor rival | company firm | staff employees |
employee worker | employees workers | manager boss | dismiss fire | dismissed fired | resign quit | salary wage |
leave vacation | ill sick | injured hurt | physician doctor | medicine drug | contract agreement |
contracts agreements | terminate cancel | ended terminated | lease rent | landlord owner | policy rule |
policies rules | allowed permitted | forbidden prohibited | required needed | approve authorize | receive get |
send ship | sent shipped | delivery shipment | deliveries shipments | return bring | returned back | repair fix |
repaired fixed | broken damaged | replace exchange | replaced exchanged | discard dispose | clean wash |
cleaning washing | store shop | stores shops | warehouse depot | box carton | boxes cartons | truck vehicle |
car vehicle | journey trip | travel trip | lodging hotel | meals food | document paper | documents papers |
begin start | began started | finish end | stop end | keep retain | choose select | need require | large big |
small little | quick fast | alarm siren | guard watchman | outage failure | error fault | computer laptop |
software program | phone telephone | meeting session | notice warning | warranty guarantee | fuel gas | fabric cloth
| instruction guide | type kind
""".split("|"))


def synonyms_in(groups) -> dict[str, list[str]]:
    """Return {word: the other words of its groups, in their order}.

    >>> synonyms_in([["truck", "vehicle"], ["car", "vehicle"]])["vehicle"]
    ['truck', 'car']
    """
    out = {}
    for group in groups:
        for word in group:
            known = out.setdefault(word, [])
            known += [other for other in group if other != word and other not in known]
    return out


SYNONYMS = synonyms_in(GROUPS)
