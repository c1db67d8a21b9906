"""Tests of notes.py, each in a small repository of its own: python3 tools/notes_test.py"""
import contextlib, io, sys, tempfile, unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import against_libraries, measured, notes

CSV = """step,variant,type,n,median_s,gflops,compiler,commit
01,ijk,f32,512,0.5,0.536,gcc 12,aaa
01,ijk,f32,64,0.00025,2.1,gcc 12,aaa
02,jki,f32,64,0.0005,1.05,gcc 12,aaa
02,ikj,f32,512,0.0285,9.35,gcc 12,aaa
02,ikj,f32,512,0.025,10.74,gcc 12,bbb
02,kij,f64,64,,,gcc 12,aaa
"""
SOURCE = """#pragma once
namespace loop_order {
    // [ikj]
    void ikj() {
        // [inner]
        for (;;) {}

        // [/inner]
    }
    // [/ikj]
}
// [open]
// [twice]
// [twice]
// [/twice]
// [fence]
// ```
```
// [/fence]
"""


class Repository(unittest.TestCase):
    """A root with plots/r.csv and 02/gemm.hpp; `run` gives it the note 02/README.md and refills it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.write("plots/r.csv", CSV)
        self.write("02/gemm.hpp", SOURCE)
        self.write("CMakeLists.txt", "x()\n  # [step]\n  course_step(02)\n  # [/step]\n")
        self.note = self.root / "02/README.md"

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def notes(self, *arguments):
        """Runs the tool; its output is in self.out and self.err."""
        measured.table_of.cache_clear()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            status = notes.main(list(arguments), self.root)
        self.out, self.err = out.getvalue(), err.getvalue()
        return status

    def refilled(self, text):
        """The note after a run that must go well and, done again, change nothing."""
        self.write("02/README.md", text)
        self.assertEqual(self.notes(), 0, msg := f"status of {text}")
        self.assertEqual(self.err, "", msg)
        self.assertEqual(self.out, "02/README.md\n" if self.note.read_text() != text else "")
        first = self.note.read_text()
        again = self.notes(), self.out, self.note.read_text()
        self.assertEqual(again, (0, "", first), "a second run changes nothing")
        self.assertEqual((self.notes("--check"), self.out), (0, ""))
        return first

    def wrong(self, text, *said):
        """One error line that names the place, in both modes, and the note left as it was."""
        text = f"# Note\n\n{text}\n"
        self.write("02/README.md", text)
        for mode in [], ["--check"]:
            self.assertEqual(self.notes(*mode), 2, text)
            self.assertEqual(self.err.count("\n"), 1, self.err)
            self.assertRegex(self.err, r"^02/README.md:3: ")
            for words in said:
                self.assertIn(words, self.err)
            self.assertEqual(self.note.read_text(), text)


class Code(Repository):
    def test_fragment_replaces_the_block_dedented_and_without_inner_marks(self):
        self.assertEqual(self.refilled("a\n<!-- code: gemm.hpp#ikj -->\n```cpp\nold\nolder\n```\nb\n"),
                         "a\n<!-- code: gemm.hpp#ikj -->\n```cpp\n"
                         "void ikj() {\n    for (;;) {}\n\n}\n```\nb\n")

    def test_source_beside_the_note_else_from_the_root_any_info_string(self):
        block = "<!-- code: CMakeLists.txt#step -->\n````cmake title\n{}````"
        self.assertEqual(self.refilled(block.format("```\n")), block.format("course_step(02)\n"))
        self.write("02/CMakeLists.txt", "# [step]\nbeside\n# [/step]")
        self.assertEqual(self.refilled(block.format("")), block.format("beside\n"))

    def test_errors(self):
        block = "<!-- code: {} -->\n```cpp\nold\n```"
        self.wrong(block.format("gemm.hpp#jki"), "gemm.hpp", "[jki]")
        self.wrong(block.format("gemm.hpp#open"), "0 marks [/open]")
        self.wrong(block.format("gemm.hpp#fence"), "close the fence")
        self.wrong(block.format("gone.hpp#ikj"), "no file gone.hpp")
        self.wrong(block.format("gemm.hpp"), "misspelt")
        self.wrong("<!-- code: gemm.hpp#ikj -->\n\n```cpp\nold\n```", "fence must follow")
        self.wrong("```cpp\nnever closed", "never closed")


class Tables(Repository):
    def table(self, arguments):
        text = self.refilled(f"a\n<!-- table: {arguments} -->\nold\n<!-- /table -->\nb\n")
        head, *lines, tail, end, _ = text.split("\n")[1:]
        self.assertEqual((head, tail, end), (f"<!-- table: {arguments} -->", "<!-- /table -->", "b"))
        return lines

    def test_cells_gaps_and_numbers_ascending(self):
        self.assertEqual(self.table("r.csv; type=f32; rows=variant; cols=n; gflops; %.1f"), [
            "| variant | 64 | 512 |", "| --- | ---: | ---: |",
            "| ijk | 2.1 | 0.5 |", "| jki | 1.1 | – |", "| ikj | – | 10.7 |"])

    def test_of_rows_taken_with_quiet_the_last_counts_and_its_marks(self):
        self.write("plots/r.csv", "v,n,p,quiet,commit\na,1,2,no,c\na,1,3,yes,c\nb,1,2,yes,c\nb,1,3,no,c\n")
        self.assertEqual(self.table("r.csv; ; rows=v; cols=n; p")[2:], ["| a | 3 |", "| b | 3~ |"])
        self.write("plots/r.csv", "v,n,p,q,quiet,verdict\na,1,2,4,no,unverified\na,2,3,6,yes,right\nb,1,5,5,,unverified\n")
        self.assertEqual(self.table("r.csv; ; rows=v; cols=n; p")[2:], ["| a | 2~° | 3 |", "| b | 5° | – |"])
        self.assertEqual(self.table("r.csv; v=a; rows=v+n; cols=*; p+q/p")[2:], ["| a | 1 | 2~° | 2~° |", "| a | 2 | 3 | 2 |"])

    def test_facts_of_a_machine_are_looked_at_twice_and_another_level_is_another_fact(self):
        facts = ",".join(measured.MACHINE_COLUMNS) + "\npeak,f32,avx2,1,L1,3,GB/s,\npeak,f32,avx2,1,L1,4,GB/s,\n"
        self.write("plots/m.csv", facts)
        table = "m.csv; ; rows=name; cols=type; value"
        self.assertEqual(self.table(table)[2:], ["| peak | 4 |"])
        self.write("plots/m.csv", facts.replace("L1,4", "L2,4"))
        self.wrong(f"<!-- table: {table} -->\n<!-- /table -->", "2 rows of ")

    def test_libraries(self):
        head = ",".join(against_libraries.COLUMNS)
        self.write("plots/rivals.csv", f"{head}\nf32,8,8,8,1,avx512,oneDNN,21,0.97,0.9,1.1,97,100,CPU,-O3,g++,here,c,d\n")
        marks = "<!-- libraries: rivals.csv -->\n{}<!-- /libraries -->\n"
        self.assertEqual(self.refilled(marks.format("old\n")), marks.format(
            "| variant | against | type | threads | mean | worst | below 0.98 |\n"
            "| --- | --- | --- | ---: | ---: | ---: | ---: |\n"
            "| avx512 | every library | f32 | 1 | 0.970 | 0.970 at 8, oneDNN | 1 of 1 |\n"))
        self.wrong("<!-- libraries: rivals.csv -->\nold", "never closed")
        self.wrong("<!-- libraries: r.csv -->\n<!-- /libraries -->", "other columns")

    def test_errors(self):
        def table(arguments):
            return f"<!-- table: {arguments} -->\n| old |\n<!-- /table -->"
        self.wrong(table("r.csv; variant=ijk|ikk; rows=variant; cols=n; gflops"), "variant=ikk")
        self.wrong(table("r.csv; ; rows=step; cols=type; gflops"), "01,f32", "2 rows")
        self.wrong(table("r.csv; n=64; rows=variant; gflops"), "a table needs")
        self.wrong(table("r.csv; variant; rows=variant; cols=n; gflops"), "filter 'variant'")
        self.wrong(table("r.csv; speed=1; rows=variant; cols=n; gflops"), "no such column: rows.speed")


class Named(Repository):
    """Figures by name."""

    def figures(self, *lines):
        self.write("02/figures.csv", "\n".join(["name,file,where,value,format", *lines, ""]))

    def refused(self, text, *lines):
        self.figures(*lines)
        self.write("02/README.md", text)
        self.assertEqual(self.notes(), 2)
        return self.err.strip()

    def test_of_a_row_and_of_others(self):
        self.figures("jki,r.csv,variant = 'jki' AND n < 100,gflops,%.2f", "ijk,r.csv,\"variant = 'ijk' AND n IN (64, 65)\",gflops * 1.3,%d",
                     "ikj,r.csv,variant = 'ikj',median_s,%.3f", "gain,,,ijk / jki,%.1f", "type,r.csv,variant = 'jki',type,%s")
        text = "It reaches <!--=jki--><!--/-->, not <!--=ijk-->9<!--/-->: <!--=gain--><!--/--> times.\nIn <!--=type--><!--/-->, <!--=ikj--><!--/--> s.\n"
        self.assertEqual(self.refilled(text), "It reaches <!--=jki-->1.05<!--/-->, not <!--=ijk-->3<!--/-->: <!--=gain-->2.6<!--/--> times.\n"
                                              "In <!--=type-->f32<!--/-->, <!--=ikj-->0.025<!--/--> s.\n")
        self.write("02/README.md", text)
        self.assertEqual((self.notes("--check"), self.out.split("\n")[0]), (1, "02/README.md:1: stale '', should be '1.05' (jki)"))

    def test_a_figure_inherits_the_marks_of_what_it_follows_from(self):
        self.write("plots/q.csv", "variant,n,median_s,verdict,quiet,commit\na,1,2,unverified,yes,c\nb,1,1,right,no,c\n")
        self.figures("a,q.csv,variant = 'a',median_s,%.1f", "b,q.csv,variant = 'b',median_s,%.1f", "r,,,a / b,%.1f")
        self.assertEqual(self.refilled("Of <!--=a--><!--/--> and <!--=b--><!--/-->: <!--=r--><!--/-->.\n"),
                         "Of <!--=a-->2.0°<!--/--> and <!--=b-->1.0~<!--/-->: <!--=r-->2.0~°<!--/-->.\n")

    def test_errors(self):
        of = "x,r.csv,variant = 'jki',gflops,%.2f"
        for text, lines, wrong in (
                ("A <!--=y--><!--/-->", [of], "no figure 'y'"), ("A <!--=x-->", [of], "misspelt, unclosed"),
                ("A <!--=x--><!--/-->", ["x,r.csv,n = 64,gflops,%.2f"], "x: 3 rows of r.csv match, one is needed"),
                ("A <!--=x--><!--/-->", ["x,r.csv,n = 65,gflops,%.2f"], "x: 0 rows of r.csv match"),
                ("A <!--=x--><!--/-->", ["x,r.csv,variant = 'kij',gflops,%.2f"], "x: the value is empty"),
                ("A <!--=x--><!--/-->", ["x,r.csv,nn = 64,gflops,%.2f"], "x: no such column: nn"),
                ("A <!--=x--><!--/-->", ["x,none.csv,n = 64,gflops,%.2f"], "No such file"),
                ("A <!--=x--><!--/-->", ["x,r.csv,variant = 'jki',type,%.2f"], "x: 'f32' cannot be written as '%.2f'"),
                ("A <!--=x--><!--/-->", ["x,r.csv,variant = 'jki',gflops,%5.1f"], "x: '1.05' cannot be written as '%5.1f'"),
                ("A <!--=x--><!--/-->", ["x,,,2 * y,%d", "y,,,x,%d"], "x follows from itself"),
                ("A <!--=x--><!--/-->", ["x,,,1 / 0.0,%.1f"], "x: the value is empty"),
                ("A <!--=x--><!--/-->", [of, of], "each name stands once"),
                ("A <!--=x--><!--/-->", [of, "y,,,x,%d"], "02/figures.csv: no page has y"),
                ("<!--=x-->1.05<!--/--> begins", [of], "the line begins with a figure"),
                ("1. <!--=x-->1.05<!--/--> begins", [of], "the line begins with a figure"),
                ("A <!--=x-->1.05<!--/-->. Another sentence.", [of], "two sentences"),
                ("- A <!--=x-->1.05<!--/-->. Another sentence.", [of], "two sentences"),
                ("A <!--=x-->1.05<!--/--> " + 300 * "x", [of], "300 are allowed")):
            self.assertIn(wrong, self.refused(text, *lines))
        (self.root / "02/figures.csv").unlink()
        self.write("02/README.md", "A <!--=x--><!--/-->")
        self.assertEqual((self.notes(), "no figures.csv beside the note" in self.err), (2, True))

    def test_a_table_a_heading_an_abbreviation_and_a_number_of_a_list_are_no_two_sentences(self):
        self.figures("x,r.csv,variant = 'jki',gflops,%.2f")
        self.refilled("# One. Two\n\nA. Fog has <!--=x-->1.05<!--/-->, i.e. 1.\n\n1. A list.\n   - More.\n\n| A. | B. C |\n|---|---|\n| a. B | " + 300 * "x" + " |\n")


class Notes(Repository):
    VALUE = "at <!--=jki-->9<!--/-->"

    def name_the_figure(self):
        for folder in "02/", "":
            self.write(folder + "figures.csv", "name,file,where,value,format\njki,r.csv,variant = 'jki',gflops,%.2f\n")

    def test_check_names_stale_places_and_writes_nothing(self):
        self.name_the_figure()
        text = (f"a\n{self.VALUE}\n<!-- code: gemm.hpp#ikj -->\n```cpp\nold\n```\n"
                "<!-- table: r.csv; n=64; rows=variant; cols=n; gflops -->\n<!-- /table -->\n")
        self.write("02/README.md", text)
        self.assertEqual(self.notes("--check"), 1)
        self.assertEqual(self.note.read_text(), text)
        self.assertRegex(self.out, r"(?s)^02/README.md:2: stale '9', should be '1.05' \(jki\)\n"
                         r"02/README.md:3: stale code gemm.hpp#ikj\n02/README.md:7: stale table r.csv.*\n$")

    def test_an_error_outweighs_and_other_notes_are_still_written(self):
        self.name_the_figure()
        self.write("02/README.md", self.VALUE + "\n[x](gone.md)\n")
        self.write("README.md", self.VALUE)
        self.assertEqual(self.notes("--check"), 2)
        self.assertEqual(self.notes(), 2)
        self.assertEqual(self.out, "README.md\n")
        self.assertIn(">9<", self.note.read_text())

    def test_markers_and_links_in_fences_and_code_spans_are_text(self):
        for fence in "```", "~~~", "````md\n```":
            text = (f"{fence}\n{self.VALUE}\n<!-- code: gemm.hpp#ikj -->\n[x](gone)\n<!-- table: x -->\n"
                    f"{fence[:4].strip()}\n")
            self.assertEqual(self.refilled(text), text)
        text = f"Write `{self.VALUE}`, `<!-- code: x -->` or ``a`[i](j)``.\n"
        self.assertEqual(self.refilled(text), text)
        self.name_the_figure()
        self.write("README.md", "at <!--=jki-->1.05<!--/-->\n")
        self.assertIn("1.05", self.refilled("```\n```\n" + self.VALUE))

    def test_links(self):
        self.write("02/a b.png", "")
        text = ('[a](gemm.hpp#L3) ![b](../plots/r.csv "title") [c](#here) [d](https://x.y/z) [e](mailto:a@b)\n'
                '[![f](a%20b.png)](../02) <img src="gemm.hpp" width="3"> [g](/plots/r.csv)\n'
                '<!-- table of contents -->\n')
        self.assertEqual(self.refilled(text), text)
        for link in ("[a](gone.md)", '<img width=3 src="gone.svg">', "[![f](gone.md)](gemm.hpp)", "[g](/gone)"):
            self.wrong(link, "gone")


if __name__ == "__main__":
    unittest.main()
