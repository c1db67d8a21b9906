"""What is wrong with a C: where its wrong elements lie, and which well-known fault explains them. It
works each element out again: meant for small products."""
import itertools, math
from functools import partial
from operator import itemgetter, mul
from typing import NamedTuple

UNTOUCHED = "C is as it was before: nothing was added to it there."


class Diagnosis(NamedTuple):
    """A sentence each; empty if nothing is wrong, or nothing is known."""

    element: str = ""  # the first wrong one
    where: str = ""  # where they lie
    fault: str = ""  # what has exactly these values
    unwritten: bool = False  # it comes from memory that nobody has written


class Element(NamedTuple):
    i: int
    j: int
    value: float
    before: float = 0.0
    added: float = 0.0  # what A·B adds
    size: float = 0.0  # Σ|a·b| + |before|: rounding grows with it


class Wrong:
    """The wrong elements of C, and whether all of them are as a fault makes them."""

    def __init__(self, problem, elements):
        self.problem, self.elements = problem, elements
        self.m, self.n, self.k = problem.m, problem.n, problem.k
        self.unit = 0 if problem.kind == "i32" else 2**-53 if problem.kind == "f64" else 2**-24

    def close(self, e, should):
        return abs(e.value - should) <= 8 * self.unit * e.size

    def all(self, should):
        return all(self.close(e, should(e)) for e in self.elements)

    def products(self, i, j, begin, end):
        """Σ a(i, p)·b(p, j) over begin <= p < end."""
        return sum(map(mul, self.problem.a[i][begin:end], self.problem.columns[j][begin:end]))

    def summed(self, of_a, of_b, e):
        """C of the factors with these indices."""
        total = e.before
        for p in range(self.k):
            (row, column), (row_of_b, column_of_b) = (
                of({"i": e.i, "j": e.j, "p": p}) for of in (of_a, of_b)
            )
            total += self.problem.a[row][column] * self.problem.b[row_of_b][column_of_b]
        return total


def left_over(first, extent, what):
    """Fewer are left over than a tile has, if `first` ends whole tiles."""
    if first % 4 == 0 and extent - first < (first & -first):
        tiles = f"({first} = {first // 4} · 4: only whole tiles?)"
        return f": what about the {what} that are left over? {tiles}"
    return f": does a loop, or the grid, reach these {what}?"


def where(wrong, right, problem, asks, owner):
    """Where the wrong elements lie; and `asks`, where no fault explains them, what is left over."""
    if not right:
        return "Every element is wrong." if len(wrong) > 1 else ""
    if owner:
        rank = owner(problem.m, *wrong[0][:2])
        if all(owner(problem.m, e.i, e.j) == rank for e in wrong):
            alone = not any(owner(problem.m, e.i, e.j) == rank for e in right)
            whole = f"All elements of rank {rank}, and no others, are wrong."
            return whole if alone else f"All wrong elements are rank {rank}'s."
    for side, name, extent, what in ((0, "i", problem.m, "rows"), (1, "j", problem.n, "columns")):
        first = min(e[side] for e in wrong)
        if first and all(e[side] < first for e in right):
            all_of = f"All wrong elements have {name} ≥ {first}, and all of those are wrong"
            return all_of + (left_over(first, extent, what) if asks else ".")
    i, j = (max(e[side] for e in right) + 1 for side in (0, 1))
    if i < problem.m and j < problem.n and all(e.i >= i or e.j >= j for e in wrong):
        all_of = f"All wrong elements have i ≥ {i} or j ≥ {j}, and all of those are wrong"
        return all_of + (": what about the rows and columns that are left over?" if asks else ".")
    for side, name in ((0, "i"), (1, "j")):
        for period in (32, 16, 8, 4, 2):
            place = wrong[0][side] % period
            if len(wrong) > 2 and all(e[side] % period == place for e in wrong):
                return f"All wrong elements have {name} % {period} = {place}."
    if len(wrong) == 1:
        return "It is the only wrong one."
    return f"{len(wrong)} of {len(wrong) + len(right)} elements are wrong."


def faults(wrong):
    """(what is said, element) of each well-known fault: C(i, j) as it makes it, of an Element."""
    k, products = wrong.k, wrong.products
    yield UNTOUCHED, lambda e: e.before
    yield "It holds A·B alone: C += A·B keeps what C held before.", lambda e: e.added
    zero = "It is 0: is a sum an int, or was C set to 0? C += A·B keeps what C held before."
    yield zero, lambda e: 0
    for times in range(2, 65):
        text = f"A·B was added {times} times instead of once."
        yield text, lambda e: e.before + times * e.added
    for q in range(k - 1, 0, -1):
        text = f"The products of p ≥ {q} are missing: what about the end of k?"
        yield text, lambda e: e.before + products(e.i, e.j, 0, q)
        text = f"The products of p < {q} are missing."
        yield text, lambda e: e.before + products(e.i, e.j, q, k)
        text = f"Only the products of p ≥ {q} are there: the sum begins anew on the way through k."
        yield text, lambda e: products(e.i, e.j, q, k)
    extents = {"i": wrong.m, "j": wrong.n, "p": k}
    text = "It holds the sum of a({}, {}) · b({}, {}), not of a(i, p) · b(p, j)."
    if wrong.m == wrong.n:
        exchanged = "It holds what C(j, i) should: i and j are exchanged."
        yield exchanged, lambda e: e.before + products(e.j, e.i, 0, k)
    for names in itertools.product("ijp", repeat=4):  # of a(., .) and b(., .)
        if all(extents[name] <= most for name, most in zip(names, (wrong.m, k, k, wrong.n))):
            of_a, of_b = itemgetter(*names[:2]), itemgetter(*names[2:])
            yield text.format(*names), partial(wrong.summed, of_a, of_b)


def fault(wrong, unwritten):
    """The fault that has exactly these values, or nothing."""
    elements = wrong.elements
    if wrong.k == 0:
        return "k is 0: there is nothing to add. Does a sum begin with p = 0 all the same?"
    if unwritten:
        what = "NaN" if any(math.isnan(e.value) for e in elements) else "So large a number"
        why = "a sum that was not initialised, or a read beyond a row's end."
        return f"{what} comes from memory that nobody has written: {why}"
    return next((text for text, should in faults(wrong) if wrong.all(should)), "")


def told_apart(value, should):
    """Both, with as many digits as tell them apart."""
    for digits in range(4, 18):
        both = [f"{number:.{digits}g}" for number in (value, should)]
        if both[0] != both[1]:
            break
    return both


def diagnosed(problem, c, owner=None):
    """A Diagnosis of C, by rows; owner(m, i, j) is the rank that makes an element."""
    wrong, right = Wrong(problem, []), []
    for i, row in enumerate(c):
        for j, value in enumerate(row):
            before, column = problem.c[i][j], problem.columns[j]
            terms = list(map(mul, problem.a[i], column))
            e = Element(i, j, value, before, sum(terms), sum(map(abs, terms)) + abs(before))
            (right if wrong.close(e, before + e.added) else wrong.elements).append(e)
    if not (elements := wrong.elements):
        return Diagnosis()
    first = elements[0]
    value, should = told_apart(first.value, first.before + first.added)
    unwritten = not all(abs(e.value) < 1e30 for e in elements)
    found = fault(wrong, unwritten)
    place = where(elements, right, problem, found in ("", UNTOUCHED), owner)
    return Diagnosis(
        f"C({first.i}, {first.j}) is {value}, should be {should}.", place, found, unwritten
    )
