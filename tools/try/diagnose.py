"""What is wrong with a C: where its wrong elements lie, and which known fault explains them."""
import itertools
from typing import NamedTuple

import numpy as np

UNTOUCHED = "C is as it was before: nothing was added to it there."


class Diagnosis(NamedTuple):
    """A sentence each; empty if nothing is wrong, or nothing is known."""

    element: str = ""  # the first wrong one
    where: str = ""  # where they lie
    fault: str = ""  # what has exactly these values
    unwritten: bool = False  # it comes from memory that nobody has written


def where(wrong, asks, owners):
    """Where the wrong elements lie; and `asks`, where no fault explains them, what is left over."""
    if wrong.all():
        return "Every element is wrong." if wrong.size > 1 else ""
    if owners is not None and len(ranks := {*owners[wrong]}) == 1:
        [rank] = ranks
        whole = f"All elements of rank {rank}, and no others, are wrong."
        return whole if wrong[owners == rank].all() else f"All wrong elements are rank {rank}'s."
    places, (m, n), begin = np.argwhere(wrong), wrong.shape, "All wrong elements have"
    i, j = places.min(axis=0)
    for first, extent, part, what in ((i, m, wrong[i:], "rows"), (j, n, wrong[:, j:], "columns")):
        if first and part.all():
            why = f": does a loop, or the grid, reach these {what}?"
            if first % 4 == 0 and extent - first < (first & -first):  # fewer than a tile has
                tiles = f"({first} = {first // 4} · 4: only whole tiles?)"
                why = f": what about the {what} that are left over? {tiles}"
            name = "i" if what == "rows" else "j"
            why = why if asks else "."
            return f"{begin} {name} ≥ {first}, and all of those are wrong{why}"
    i, j = np.argwhere(~wrong).max(axis=0) + 1
    if i < m and j < n and not wrong[:i, :j].any():
        why = ": what about the rows and columns that are left over?" if asks else "."
        return f"{begin} i ≥ {i} or j ≥ {j}, and all of those are wrong{why}"
    for name, indices in zip("ij", places.T):
        for period in (32, 16, 8, 4, 2) if len(places) > 2 else ():
            if len({*(indices % period)}) == 1:
                return f"{begin} {name} % {period} = {indices[0] % period}."
    if len(places) == 1:
        return "It is the only wrong one."
    return f"{len(places)} of {wrong.size} elements are wrong."


def faults(problem, i, j):
    """(what is said, the elements (i, j) of C as it makes them) of each well-known fault."""
    (a, b, c), k, right = problem.wide, problem.k, problem.right[i, j]
    before, added, last = c[i, j], right - c[i, j], 0
    yield UNTOUCHED, before
    yield "It holds A·B alone: C += A·B keeps what C held before.", added
    yield "It is 0: is a sum an int, or was C set to 0? C += A·B keeps what C held before.", 0
    for times in range(2, 65):
        yield f"A·B was added {times} times instead of once.", before + times * added
    for q in range(k - 1, 0, -1):
        last = last + a[i, q] * b[q, j]
        missing = f"The products of p ≥ {q} are missing: what about the end of k?"
        anew = f"Only the products of p ≥ {q} are there: the sum begins anew in the middle of k."
        yield missing, right - last
        yield f"The products of p < {q} are missing.", before + last
        yield anew, last
    indices, p = {"i": (i[:, None], problem.m), "j": (j[:, None], problem.n)}, np.arange(k)
    indices["p"] = p[None], k
    for names in itertools.product("ijp", repeat=4):  # of a(., .) and b(., .)
        (row, column, row_of_b, column_of_b), extents = zip(*map(indices.get, names))
        if all(extent <= most for extent, most in zip(extents, (*a.shape, *b.shape))):
            terms = a[row, column] * b[row_of_b, column_of_b] + 0 * p  # as many if p is not among
            text = "It holds the sum of a({}, {}) · b({}, {}), not of a(i, p) · b(p, j)."
            yield text.format(*names), before + terms.sum(axis=1)


def fault_of(problem, c, wrong, unwritten):
    """The fault that has exactly these values, or nothing."""
    if problem.k == 0:
        return "k is 0: there is nothing to add. Does a sum begin with p = 0 all the same?"
    if unwritten:
        what = "NaN" if np.isnan(c[wrong]).any() else "So large a number"
        why = "a sum that was not initialised, or a read beyond a row's end."
        return f"{what} comes from memory that nobody has written: {why}"
    some = np.argwhere(wrong)[:: 1 + wrong.sum() // 1000].T  # at most so many, from everywhere
    value, allowed = c[(*some,)], problem.allowed[(*some,)]
    made = faults(problem, *some)
    return next((text for text, of in made if (abs(value - of) <= allowed).all()), "")


def diagnosed(problem, c, wrong, owners=None):
    """A Diagnosis of C, whose `wrong` elements are; `owners` are the ranks that make them."""
    i, j = np.argwhere(wrong)[0]
    value, should, unwritten = c[i, j], problem.right[i, j], not (abs(c[wrong]) < 1e30).all()
    digits = next((d for d in range(4, 18) if f"{value:.{d}g}" != f"{should:.{d}g}"), 18)
    first = f"C({i}, {j}) is {value:.{digits}g}, should be {should:.{digits}g}."
    fault = fault_of(problem, c, wrong, unwritten)
    return Diagnosis(first, where(wrong, fault in ("", UNTOUCHED), owners), fault, unwritten)
