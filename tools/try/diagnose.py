"""What is wrong with a C: where its wrong elements lie, and which well-known fault explains them.
It works each element out again: meant for small products."""
import math
from operator import mul
from typing import NamedTuple

UNTOUCHED = "C is as it was before: nothing was added to it there."
WHOLE = "only whole tiles? What about the rows, columns and products that are left over?"


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

    def close(self, e, should, size=None):
        return abs(e.value - should) <= 8 * self.unit * (e.size if size is None else size)

    def all(self, should, elements=None):
        return all(self.close(e, should(e)) for e in elements or self.elements)

    def products(self, i, j, begin, end):
        """Σ a(i, p)·b(p, j) over begin <= p < end."""
        return sum(map(mul, self.problem.a[i][begin:end], self.problem.columns[j][begin:end]))


def edge(wrong, right, side):
    """The first wrong row or column, if every element from there on is wrong; else 0."""
    first = min(e[side] for e in wrong)
    return 0 if any(e[side] >= first for e in right) else first


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
        if first := edge(wrong, right, side):
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


def wrong_index(wrong):
    """That a factor has another index than it should."""
    m, n, k, a, b = wrong.m, wrong.n, wrong.k, wrong.problem.a, wrong.problem.b
    extents = {"i": m, "j": n, "p": k}
    for code in range(81):
        names = ["ijp"[code // 3**place % 3] for place in (3, 2, 1, 0)]  # of a(., .) and b(., .)
        if any(extents[name] > most for name, most in zip(names, (m, k, k, n))):
            continue

        def should(e):
            at = ({"i": e.i, "j": e.j, "p": p} for p in range(k))
            return e.before + sum(
                a[of[names[0]]][of[names[1]]] * b[of[names[2]]][of[names[3]]] for of in at
            )

        if wrong.all(should):
            held = "a({}, {}) · b({}, {})".format(*names)
            return f"It holds the sum of {held}, not of a(i, p) · b(p, j)."
    return ""


def transposed(wrong):
    """That tiles, or a tensor core's fragments, were transposed."""
    m, n, k = wrong.m, wrong.n, wrong.k
    a = lambda i, p: wrong.problem.a[i][p] if i < m and p < k else 0
    b = lambda p, j: wrong.problem.b[p][j] if p < k and j < n else 0
    for side in (8, 16):
        turned = lambda of: lambda i, j: of(i - i % side + j % side, j - j % side + i % side)
        for name, of_a, of_b in (("A", turned(a), b), ("B", a, turned(b)), ("C", a, b)):
            total = lambda i, j: sum(of_a(i, p) * of_b(p, j) for p in range(k))
            total = turned(total) if name == "C" else total
            if all(wrong.close(e, e.before + total(e.i, e.j), e.size + k) for e in wrong.elements):
                return f"Each {side} × {side} elements of {name} are transposed."
    return ""


def carried_on(wrong):
    """That a sum was not set back: the elements of the row, or all, before each are in it, too."""
    of = {(e.i, e.j): e for e in wrong.elements}
    for of_row, keeps in ((True, True), (True, False), (False, True), (False, False)):
        total = size = 0.0
        same = True
        for i, j in ((i, j) for i in range(wrong.m) for j in range(wrong.n)):
            if of_row and j == 0:
                total = size = 0.0
            total, size = total + wrong.products(i, j, 0, wrong.k), size + wrong.k
            if e := of.get((i, j)):
                before = wrong.problem.c[i][j] if keeps else 0
                if not (same := wrong.close(e, before + total, e.size + size)):
                    break
        if same:
            row = " in its row" * of_row
            back = "the sum is not set back for each element."
            return f"It holds the products of the elements before it{row}, too: {back}"
    return ""


def whole_tiles(wrong):
    """That only whole tiles were multiplied: nothing was added beyond the last one, and to the
    others too little."""
    beyond = [e for e in wrong.elements if wrong.close(e, e.before)]
    within = [e for e in wrong.elements if not wrong.close(e, e.before)]
    for q in range(wrong.k - 1, 0, -1) if beyond and within else ():
        if wrong.all(lambda e: e.before + wrong.products(e.i, e.j, 0, q), within):
            others = f"to the others only the products of p < {q}: {WHOLE}"
            return f"Nothing was added to {len(beyond)} elements, and {others}"
    return ""


def is_whole(e, k):
    """Whether it, or what was added to it, is a whole number."""
    rest = e.value - e.before
    small = abs(e.value) <= e.size + k
    return small and (e.value == round(e.value) or abs(rest - round(rest)) < 1e-6)


def fault(wrong, unwritten):
    """The fault that has exactly these values, or nothing."""
    k, elements, products = wrong.k, wrong.elements, wrong.products
    if k == 0:
        return "k is 0: there is nothing to add. Does a sum begin with p = 0 all the same?"
    if unwritten:
        what = "NaN" if any(math.isnan(e.value) for e in elements) else "So large a number"
        why = "a sum that was not initialised, or a read beyond a row's end."
        return f"{what} comes from memory that nobody has written: {why}"
    if wrong.all(lambda e: e.before):
        return UNTOUCHED
    if wrong.all(lambda e: e.added):
        return "It holds A·B alone: C += A·B keeps what C held before."
    if wrong.all(lambda e: 0):
        return "It is 0: is a sum an int, or was C set to 0? C += A·B keeps what C held before."
    for times in range(2, 65):
        if wrong.all(lambda e: e.before + times * e.added):
            return f"A·B was added {times} times instead of once."
    for q in range(k - 1, 0, -1):
        if wrong.all(lambda e: e.before + products(e.i, e.j, 0, q)):
            return f"The products of p ≥ {q} are missing: what about the end of k?"
        if wrong.all(lambda e: e.before + products(e.i, e.j, q, k)):
            return f"The products of p < {q} are missing."
        if wrong.all(lambda e: products(e.i, e.j, q, k)):
            anew = "the sum begins anew on the way through k."
            return f"Only the products of p ≥ {q} are there: {anew}"
    if tiles := whole_tiles(wrong):
        return tiles
    if wrong.m == wrong.n and wrong.all(lambda e: e.before + products(e.j, e.i, 0, k)):
        return "It holds what C(j, i) should: i and j are exchanged."
    if found := wrong_index(wrong) or transposed(wrong):
        return found
    uniform = wrong.problem.kind != "i32" and not wrong.problem.digits
    if uniform and len(elements) > 4 and all(is_whole(e, k) for e in elements):
        return "All of them are whole numbers: is a sum an int?"
    return carried_on(wrong)


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
