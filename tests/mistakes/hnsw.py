"""Common mistakes in the tasks hnsw.*, each with the sentence that a learner reads."""

import heapq
import math

import numpy as np

from firstprinciples.index.hnsw import random_level, search_layer, select_neighbors, select_neighbors_simple


def _checked(u, M):
    """Refuse what the task refuses; return u, which 0 does not leave without a logarithm."""
    random_level(u, M)
    return max(u, 5e-324)


def random_level__never_divided(u, M=16):
    """That is -ln(u) alone; divide it by ln(M), or nearly half of the nodes reach layer 1 and every layer is full."""
    return math.floor(-math.log(_checked(u, M)))


def random_level__log2(u, M=16):
    """That takes the logarithm to base 2 and does not divide; it is ln(u) over ln(M), the logarithm to base M."""
    return math.floor(-math.log2(_checked(u, M)))


def random_level__two_bases(u, M=16):
    """That mixes two logarithms, base 2 above and base e below; take the same for both."""
    return math.floor(-math.log2(_checked(u, M)) / math.log(M))


def random_level__base_ten(u, M=16):
    """That mixes two logarithms, base 10 above and base e below; take the same for both."""
    return math.floor(-math.log10(_checked(u, M)) / math.log(M))


def random_level__times_log(u, M=16):
    """That multiplies by ln(M); divide by it. The paper's mL is 1 / ln(M)."""
    return math.floor(-math.log(_checked(u, M)) * math.log(M))


def random_level__divided_by_M(u, M=16):
    """That divides by M itself; divide by its logarithm."""
    return math.floor(-math.log(_checked(u, M)) / M)


def random_level__twice_M(u, M=16):
    """That takes 2M, the cap of layer 0, into the logarithm; the levels are drawn with M."""
    return math.floor(-math.log(_checked(u, M)) / math.log(2 * M))


def random_level__ceil(u, M=16):
    """That rounds up; round down with `floor`, or next to no node stays on layer 0."""
    return math.ceil(-math.log(_checked(u, M)) / math.log(M))


def random_level__round(u, M=16):
    """That rounds to the nearest whole number; round down with `floor`."""
    return round(-math.log(_checked(u, M)) / math.log(M))


def random_level__not_rounded(u, M=16):
    """That is no whole number; a level is one: round down with `floor`."""
    return -math.log(_checked(u, M)) / math.log(M)


def random_level__from_one(u, M=16):
    """That counts layers from 1; the layer on which all nodes are is 0."""
    return random_level(u, M) + 1


def random_level__no_minus(u, M=16):
    """That has the minus forgotten: the logarithm of a number below 1 is negative, and a level is not."""
    return math.floor(math.log(_checked(u, M)) / math.log(M))


def random_level__one_minus_u(u, M=16):
    """That takes 1 - u; it would be as good a random number, but the level asked for is that of u."""
    _checked(u, M)
    return random_level(1 - u, M)


def random_level__inverse(u, M=16):
    """That has the fraction upside down: ln(M) over -ln(u)."""
    return math.floor(math.log(M) / max(-math.log(_checked(u, M)), 1e-9))


def random_level__always_16(u, M=16):
    """That has 16 in it where the argument M belongs."""
    _checked(u, M)
    return random_level(u, 16)


def random_level__no_logarithm_of_zero(u, M=16):
    """That has no answer for u = 0, of which `math.log` makes a ValueError, too; let 0 count as the smallest float
    above it."""
    random_level(u, M)
    return math.floor(-math.log(u) / math.log(M))


def random_level__infinite(u, M=16):
    """That makes infinity of u = 0, and infinity has no whole number; let 0 count as the smallest float above it."""
    random_level(u, M)
    with np.errstate(divide="ignore"):
        return int(np.floor(-np.log(u) / np.log(M)))


def random_level__infinite_float(u, M=16):
    """That gives infinity as the level of u = 0, and no index has so many layers; let 0 count as the smallest float."""
    return random_level(u, M) if u else math.inf


def random_level__zero_is_low(u, M=16):
    """That puts u = 0 on layer 0; it is the rarest draw of all, and the smaller u, the higher the level."""
    return random_level(u, M) if u else random_level(1.0, M)


def random_level__capped_by_a_small_constant(u, M=16):
    """That lets 0 count as 0.000000001; the smallest float above 0 is far smaller, and other draws may lie between."""
    return random_level(max(u, 1e-9) if u == 0 else u, M)


def random_level__M_1_divides_by_zero(u, M=16):
    """That divides by ln(1) = 0 where M is 1; refuse M below 2 with ValueError."""
    if M == 1:
        raise ZeroDivisionError("float division by zero")
    return random_level(u, M)


def random_level__any_M(u, M=16):
    """That takes M below 2, where every node would be on every layer; refuse it with ValueError."""
    return random_level(u, M) if M > 1 else 0


def random_level__any_u(u, M=16):
    """That takes a u that is not from 0 to 1; refuse it with ValueError."""
    return random_level(min(max(u, 0.0), 1.0), M)


def _distance(a, b):
    """Return 1 - the dot product, never below 0."""
    return max(0.0, 1.0 - float(np.dot(a, b)))


def _walk(query, entry_points, ef, vectors, layer, *, distance=_distance, stop=None, wanted=None, first=min,
          dropped=max, entered=True, marked=True, on_leaving=False, cut=True):
    """Return what Algorithm 2 finds, with the parts of it in which the mistakes differ.

    `stop(candidate's distance, results)` and `wanted(distance, results, candidate's distance)` get lists of pairs;
    `first` and `dropped` choose the next candidate and the result that goes when there are more than ef.
    """
    stop = stop or (lambda d, results: d > max(results)[0])
    wanted = wanted or (lambda d, results, _: len(results) < ef or d < max(results)[0])
    visited = set(entry_points) if marked and not on_leaving else set()
    candidates = [(distance(query, vectors[p]), p) for p in sorted(set(entry_points))]
    results = (sorted(candidates)[:ef] if cut else list(candidates)) if entered else []
    steps = 0
    while candidates:
        steps += 1
        if steps > 500:  # a mark that is never made would let it go round for ever
            break
        candidate = first(candidates)
        candidates.remove(candidate)
        if results and stop(candidate[0], results):
            break
        visited |= {candidate[1]} if on_leaving else set()
        for neighbor in layer[candidate[1]]:
            if neighbor in visited:
                continue
            visited |= set() if on_leaving else {neighbor}
            d = distance(query, vectors[neighbor])
            if wanted(d, results, candidate[0]):
                candidates.append((d, neighbor))
                results.append((d, neighbor))
                if len(results) > ef:
                    results.remove(dropped(results))
    return sorted(results)


def _reached(entry_points, layer):
    """Return every node to which links lead, the entry points first, in the order in which they are met."""
    met = list(dict.fromkeys(entry_points))
    for position in met:
        met += [neighbor for neighbor in dict.fromkeys(layer[position]) if neighbor not in met]
    return met


def _best(query, positions, ef, vectors):
    return sorted((_distance(query, vectors[p]), p) for p in positions)[:ef]


def search_layer__stops_at_the_nearest(query, entry_points, ef, vectors, layer):
    """That stops as soon as the next candidate is further than the nearest result; it is the furthest that counts."""
    return _walk(query, entry_points, ef, vectors, layer, stop=lambda d, results: d > min(results)[0])


def search_layer__stops_when_full(query, entry_points, ef, vectors, layer):
    """That stops as soon as it has ef results; go on until the next candidate is further than the furthest of them."""
    return _walk(query, entry_points, ef, vectors, layer, stop=lambda _, results: len(results) >= ef)


def search_layer__stops_at_equal(query, entry_points, ef, vectors, layer):
    """That stops where the next candidate is just as far as the furthest result, so at the entry point; only if it is
    further."""
    return _walk(query, entry_points, ef, vectors, layer, stop=lambda d, results: d >= max(results)[0])


def search_layer__never_stops(query, entry_points, ef, vectors, layer):
    """That walks to every node there is a way to; stop where the nearest candidate is further than the furthest
    result."""
    return _best(query, _reached(entry_points, layer), ef, vectors)


def search_layer__looks_at_all(query, entry_points, ef, vectors, layer):
    """That compares with all vectors; only nodes to which links lead from the entry points can be found."""
    return _best(query, range(len(vectors)), ef, vectors)


def search_layer__every_node_of_the_layer(query, entry_points, ef, vectors, layer):
    """That compares with every node of the layer; walk along the links, from the entry points."""
    return _best(query, layer, ef, vectors)


def search_layer__one_hop(query, entry_points, ef, vectors, layer):
    """That looks at the neighbors of the entry points and no further; go on from those."""
    near = {neighbor for position in entry_points for neighbor in layer[position]}
    return _best(query, near | set(entry_points), ef, vectors)


def search_layer__only_the_entries(query, entry_points, ef, vectors, layer):
    """That gives back the entry points; look at their neighbors, too, and go on from there."""
    return _best(query, set(entry_points), ef, vectors)


def search_layer__only_one_result(query, entry_points, ef, vectors, layer):
    """That gives the nearest alone; there are ef results."""
    return search_layer(query, entry_points, ef, vectors, layer)[:1]


def search_layer__bounded_by_one(query, entry_points, ef, vectors, layer):
    """That keeps one result on its way, as if ef were 1; the worst of ef results is the bound."""
    return _walk(query, entry_points, 1, vectors, layer)


def search_layer__ef_ignored(query, entry_points, ef, vectors, layer):
    """That keeps every node it meets; drop the furthest where there are more than ef, also from what it stops by."""
    return _best(query, _reached(entry_points, layer), len(vectors), vectors)


def search_layer__one_more(query, entry_points, ef, vectors, layer):
    """That keeps ef + 1 results; drop the furthest as soon as there are more than ef."""
    return _walk(query, entry_points, ef + 1, vectors, layer)


def search_layer__the_furthest_candidate(query, entry_points, ef, vectors, layer):
    """That takes the furthest candidate first; take the nearest, with the smallest on top of the heap."""
    return _walk(query, entry_points, ef, vectors, layer, first=max)


def search_layer__first_come(query, entry_points, ef, vectors, layer):
    """That takes candidates in the order in which they were met; the nearest of them is next."""
    return _walk(query, entry_points, ef, vectors, layer, first=lambda candidates: candidates[0])


def search_layer__last_come(query, entry_points, ef, vectors, layer):
    """That takes the candidate that was met last; the nearest of them is next."""
    return _walk(query, entry_points, ef, vectors, layer, first=lambda candidates: candidates[-1])


def search_layer__drops_the_nearest(query, entry_points, ef, vectors, layer):
    """That drops the nearest result where there are too many; drop the furthest. Python's heap has the smallest on
    top."""
    return _walk(query, entry_points, ef, vectors, layer, dropped=min)


def search_layer__not_more_when_full(query, entry_points, ef, vectors, layer):
    """That keeps the first ef it meets; a nearer one takes the place of the furthest."""
    return _walk(query, entry_points, ef, vectors, layer, wanted=lambda d, results, _: len(results) < ef)


def search_layer__marked_on_leaving(query, entry_points, ef, vectors, layer):
    """That marks a node as visited when it goes on from it; by then it may stand in the results twice. Mark it when
    you see it."""
    return _walk(query, entry_points, ef, vectors, layer, on_leaving=True)


def search_layer__entry_not_marked(query, entry_points, ef, vectors, layer):
    """That does not mark the entry points as visited; a link back brings them in a second time."""
    return _walk(query, entry_points, ef, vectors, layer, marked=False)


def search_layer__entry_left_out(query, entry_points, ef, vectors, layer):
    """That leaves the entry points out of the results; each is a candidate and a result."""
    return _walk(query, entry_points, ef, vectors, layer, entered=False)


def search_layer__entries_not_cut(query, entry_points, ef, vectors, layer):
    """That keeps all entry points as results also where they are more than ef; cut to the ef nearest before you
    start."""
    return _walk(query, entry_points, ef, vectors, layer, cut=False)


def search_layer__first_entry_only(query, entry_points, ef, vectors, layer):
    """That starts at the first entry point alone; start at all of them."""
    return search_layer(query, entry_points[:1], ef, vectors, layer)


def search_layer__last_entry_only(query, entry_points, ef, vectors, layer):
    """That starts at the last entry point alone; start at all of them."""
    return search_layer(query, entry_points[-1:], ef, vectors, layer)


def search_layer__nearest_entry_only(query, entry_points, ef, vectors, layer):
    """That starts at the nearest entry point alone; start at all of them."""
    nearest = _best(query, set(entry_points), 1, vectors)[0][1]
    return search_layer(query, [nearest], ef, vectors, layer)


def search_layer__only_nearer_than_the_furthest(query, entry_points, ef, vectors, layer):
    """That takes a node only if it is nearer than the furthest result; while there are fewer than ef, take any."""
    return _walk(query, entry_points, ef, vectors, layer, wanted=lambda d, results, _: d < max(results)[0])


def search_layer__only_nearer_than_the_nearest(query, entry_points, ef, vectors, layer):
    """That takes a node only if it is nearer than the nearest result; compare with the furthest, and only if there are
    ef."""
    return _walk(query, entry_points, ef, vectors, layer, wanted=lambda d, results, _: d < min(results)[0])


def search_layer__nearest_once_full(query, entry_points, ef, vectors, layer):
    """That compares with the nearest result once there are ef; a node that is nearer than the furthest comes in."""
    return _walk(query, entry_points, ef, vectors, layer,
                 wanted=lambda d, results, _: len(results) < ef or d < min(results)[0])


def search_layer__downhill_only(query, entry_points, ef, vectors, layer):
    """That takes a neighbor only if it is nearer than the node from which it came; compare with the furthest result."""
    return _walk(query, entry_points, ef, vectors, layer, wanted=lambda d, _, here: d < here)


def search_layer__similarity(query, entry_points, ef, vectors, layer):
    """That gives the similarity; the distance is 1 - the dot product, 0 for the same direction."""
    return [(float(np.dot(query, vectors[p])), p) for _, p in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__negative_similarity(query, entry_points, ef, vectors, layer):
    """That gives the dot product with a minus; the distance is 1 - the dot product."""
    return [(-float(np.dot(query, vectors[p])), p) for _, p in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__nearest_by_similarity(query, entry_points, ef, vectors, layer):
    """That takes the dot product for a distance and so looks for what is least alike; the distance is 1 - it."""
    return _walk(query, entry_points, ef, vectors, layer, distance=lambda a, b: float(np.dot(a, b)))


def search_layer__straight_line(query, entry_points, ef, vectors, layer):
    """That measures the straight line between the two points; the distance here is 1 - the dot product."""
    return [(math.dist(query, vectors[p]), p) for _, p in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__squared_line(query, entry_points, ef, vectors, layer):
    """That measures the squared line between the two points, which is twice 1 - the dot product."""
    return [(math.dist(query, vectors[p]) ** 2, p) for _, p in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__below_zero(query, entry_points, ef, vectors, layer):
    """That leaves a distance below 0 where rounding made a vector longer than 1; set it to 0."""
    return _walk(query, entry_points, ef, vectors, layer, distance=lambda a, b: 1.0 - float(np.dot(a, b)))


def search_layer__absolute(query, entry_points, ef, vectors, layer):
    """That takes the minus from a distance below 0; it comes from rounding, and the distance is 0."""
    return _walk(query, entry_points, ef, vectors, layer, distance=lambda a, b: abs(1.0 - float(np.dot(a, b))))


def search_layer__furthest_first(query, entry_points, ef, vectors, layer):
    """That has the right ones, the furthest first; the nearest comes first."""
    return search_layer(query, entry_points, ef, vectors, layer)[::-1]


def search_layer__a_heap(query, entry_points, ef, vectors, layer):
    """That gives the heap as it lies in memory; a heap is not sorted: sort the results, the nearest first."""
    heap = []
    for d, p in search_layer(query, entry_points, ef, vectors, layer):
        heapq.heappush(heap, (-d, p))
    return [(-d, p) for d, p in heap]


def search_layer__later_positions_first(query, entry_points, ef, vectors, layer):
    """That orders equal distances by position from the last; the lower position comes first."""
    return sorted(search_layer(query, entry_points, ef, vectors, layer), key=lambda pair: (pair[0], -pair[1]))


def search_layer__positions_only(query, entry_points, ef, vectors, layer):
    """That gives positions alone; each stands in a pair, (distance, position)."""
    return [position for _, position in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__swapped(query, entry_points, ef, vectors, layer):
    """That has the position first in each pair; it is (distance, position)."""
    return [(position, d) for d, position in search_layer(query, entry_points, ef, vectors, layer)]


def search_layer__minus_left(query, entry_points, ef, vectors, layer):
    """That leaves the minus on the distances, which turned the heap over; take it off before you return them."""
    return sorted((-d, p) for d, p in search_layer(query, entry_points, ef, vectors, layer))


def select_neighbors_simple__furthest(candidates, M):
    """That takes the M furthest; the M nearest are asked for."""
    return [position for _, position in sorted(candidates, key=lambda pair: (-pair[0], pair[1]))[:M]]


def select_neighbors_simple__first_come(candidates, M):
    """That takes the first M as they were handed in; they come in any order: sort them first."""
    return [position for _, position in candidates[:M]]


def select_neighbors_simple__cut_before_sorting(candidates, M):
    """That takes the first M as they were handed in, and sorts those; sort before you cut."""
    return select_neighbors_simple(candidates[:M], M)


def select_neighbors_simple__furthest_first(candidates, M):
    """That has the right ones, the furthest first; the nearest comes first."""
    return select_neighbors_simple(candidates, M)[::-1]


def select_neighbors_simple__by_position(candidates, M):
    """That has the right ones in the order of their positions; the nearest comes first."""
    return sorted(select_neighbors_simple(candidates, M))


def select_neighbors_simple__lowest_positions(candidates, M):
    """That sorts by position and not by distance; the distance is the first of each pair."""
    return sorted(position for _, position in candidates)[:M]


def select_neighbors_simple__pairs(candidates, M):
    """That gives pairs; the positions alone are asked for."""
    return sorted(candidates)[:M]


def select_neighbors_simple__distances(candidates, M):
    """That gives the distances; the positions are asked for, the second of each pair."""
    return [distance for distance, _ in sorted(candidates)[:M]]


def select_neighbors_simple__M_ignored(candidates, M):
    """That gives all candidates; at most M are asked for."""
    return select_neighbors_simple(candidates, len(candidates))


def select_neighbors_simple__one_more(candidates, M):
    """That gives one more than M."""
    return select_neighbors_simple(candidates, M + 1)


def select_neighbors_simple__in_the_order_given(candidates, M):
    """That leaves equal distances in the order in which they were handed in; the lower position comes first."""
    return [position for _, position in sorted(candidates, key=lambda pair: pair[0])[:M]]


def select_neighbors_simple__later_positions_first(candidates, M):
    """That orders equal distances by position from the last; the lower position comes first."""
    return [position for _, position in sorted(candidates, key=lambda pair: (pair[0], -pair[1]))[:M]]


def select_neighbors_simple__not_there(candidates, M):
    """That counts up to M also where there are fewer candidates; stop at the last."""
    if M > len(candidates):
        raise IndexError("list index out of range")
    return select_neighbors_simple(candidates, M)


def select_neighbors_simple__filled_up(candidates, M):
    """That fills a short list up to M; give only what is there."""
    return select_neighbors_simple(candidates, M) + [-1] * (M - len(candidates))


def _chosen(candidates, M, vectors, keep, order=None):
    """Return the candidates, by distance or in another order, for which keep(distance, position, kept) says yes."""
    kept = []
    for to_new, position in sorted(candidates) if order is None else order:
        if len(kept) < M and (not kept or keep(to_new, position, kept)):
            kept.append(position)
    return kept


def select_neighbors__simple(candidates, M, vectors):
    """That gives the M nearest, as Algorithm 3 does; leave out those that are nearer to a kept one than to the new
    node."""
    return [position for _, position in sorted(candidates)[:M]]


def select_neighbors__just_as_near(candidates, M, vectors):
    """That keeps a candidate which is just as near to a kept one; it must be nearer to the new node, strictly: <, not
    <=."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: all(d <= _distance(vectors[p], vectors[r]) for r in kept))


def select_neighbors__the_other_way(candidates, M, vectors):
    """That has the comparison the other way round: it keeps those that lie behind a kept one, and refuses the
    others."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: all(d > _distance(vectors[p], vectors[r]) for r in kept))


def select_neighbors__with_the_new_one(candidates, M, vectors):
    """That compares with how near the kept ones are to the new node; how near they are to the candidate is what
    counts."""
    to_new = {position: d for d, position in candidates}
    return _chosen(candidates, M, vectors, lambda d, p, kept: all(d < to_new[r] for r in kept))


def select_neighbors__between_the_kept(candidates, M, vectors):
    """That asks whether the candidate is nearer to the new node than the kept ones are to it, added up; compare with
    each."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: d < sum(_distance(vectors[p], vectors[r]) for r in kept))


def select_neighbors__on_average(candidates, M, vectors):
    """That compares with the mean distance to the kept ones; one of them that is nearer is enough to refuse."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: d < sum(_distance(vectors[p], vectors[r]) for r in kept) / len(kept))


def select_neighbors__any(candidates, M, vectors):
    """That keeps a candidate if it is nearer to the new node than to one of those kept; it must be nearer than to
    each."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: any(d < _distance(vectors[p], vectors[r]) for r in kept))


def select_neighbors__first_kept_only(candidates, M, vectors):
    """That compares with the first of those kept alone; compare with each."""
    return _chosen(candidates, M, vectors, lambda d, p, kept: d < _distance(vectors[p], vectors[kept[0]]))


def select_neighbors__last_kept_only(candidates, M, vectors):
    """That compares with the last of those kept alone; compare with each."""
    return _chosen(candidates, M, vectors, lambda d, p, kept: d < _distance(vectors[p], vectors[kept[-1]]))


def select_neighbors__refused_count(candidates, M, vectors):
    """That compares with all nearer candidates; only those that are kept may refuse one."""
    nearer = sorted(candidates)
    return _chosen(candidates, M, vectors, lambda d, p, _: all(
        d < _distance(vectors[p], vectors[r]) for _, r in nearer[: nearer.index((d, p))]))


def select_neighbors__all_candidates(candidates, M, vectors):
    """That compares with all other candidates; only those that are kept so far may refuse one."""
    return [p for d, p in sorted(candidates)
            if all(d < _distance(vectors[p], vectors[r]) for _, r in candidates if r != p)][:M]


def select_neighbors__filled_up(candidates, M, vectors):
    """That fills the list up with the nearest of those refused; they were refused for a reason, so a short list is
    right."""
    kept = select_neighbors(candidates, M, vectors)
    return (kept + [p for _, p in sorted(candidates) if p not in kept])[:M]


def select_neighbors__in_the_order_given(candidates, M, vectors):
    """That goes through the candidates as they were handed in; they come in any order: the nearest first."""
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: all(d < _distance(vectors[p], vectors[r]) for r in kept), order=candidates)


def select_neighbors__furthest_first(candidates, M, vectors):
    """That goes through the candidates from the furthest; the nearest is asked first."""
    order = sorted(candidates, key=lambda pair: (-pair[0], pair[1]))
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: all(d < _distance(vectors[p], vectors[r]) for r in kept), order=order)


def select_neighbors__later_positions_first(candidates, M, vectors):
    """That takes equal distances by position from the last; the lower position comes first."""
    order = sorted(candidates, key=lambda pair: (pair[0], -pair[1]))
    return _chosen(candidates, M, vectors,
                   lambda d, p, kept: all(d < _distance(vectors[p], vectors[r]) for r in kept), order=order)


def select_neighbors__cut_first(candidates, M, vectors):
    """That looks at the M nearest only; go through all candidates until M are kept."""
    return select_neighbors(sorted(candidates)[:M], M, vectors)


def select_neighbors__M_ignored(candidates, M, vectors):
    """That keeps more than M; stop when there are M."""
    return select_neighbors(candidates, len(candidates), vectors)


def select_neighbors__one_more(candidates, M, vectors):
    """That stops one too late, with M + 1 kept."""
    return select_neighbors(candidates, M + 1, vectors)


def select_neighbors__similarity(candidates, M, vectors):
    """That compares a distance with a similarity; between two vectors it is 1 - the dot product, too."""
    return _chosen(candidates, M, vectors, lambda d, p, kept: all(d < np.dot(vectors[p], vectors[r]) for r in kept))


def select_neighbors__straight_line(candidates, M, vectors):
    """That compares with the straight line between two vectors; the distance here is 1 - the dot product, as with the
    new node."""
    return _chosen(candidates, M, vectors, lambda d, p, kept: all(d < math.dist(vectors[p], vectors[r]) for r in kept))


def select_neighbors__by_position(candidates, M, vectors):
    """That has the right ones in the order of their positions; the nearest comes first."""
    return sorted(select_neighbors(candidates, M, vectors))


def select_neighbors__pairs(candidates, M, vectors):
    """That gives pairs; the positions alone are asked for."""
    return [pair for pair in sorted(candidates) if pair[1] in select_neighbors(candidates, M, vectors)]


def select_neighbors__refused_ones(candidates, M, vectors):
    """That gives those that were refused; the kept ones are asked for."""
    kept = select_neighbors(candidates, M, vectors)
    return [position for _, position in sorted(candidates) if position not in kept]
