"""Tests of migrate.py on small results written by hand: python3 tools/migrate_test.py"""
import subprocess, sys, tempfile, unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "migrate.py"
OLD = ("step,variant,type,m,n,k,fill,seed,threads,ranks,grid,block,tile,device,repeat,best_s,median_s,mean_s,stddev_s,"
       "alloc_s,copy_in_s,copy_out_s,distribute_s,collect_s,imbalance,words_received,gflops,predicted_s,verify,"
       "error_share,relative_error,differences,verdict,counters,flags,compiler,host,commit,started")
NEW = OLD.replace("counters", "quiet").replace("verify", "limit,bytes_l1,bytes_l2,bytes_l3,bytes_memory,verify")
FORESEEN = "limit=L1;bytes_l1=4e+09;bytes_l2=1.50e9;bytes_l3=0;bytes_memory=2"
COLUMNS_OF_FORESEEN = "L1,4e+09,1.50e9,0,2"
BETWEEN = NEW.replace("quiet,", "")
COUNTED = "page_faults=0;context_switches=0.2;task_clock_s=0.012"


def row(counters, **more):
    """A row of the old form: each cell says its column, unless told otherwise."""
    return ",".join(({name: f"<{name}>" for name in OLD.split(",")} | {"counters": counters} | more).values())


def moved(cells):
    """The row of the new form, with these cells of limit and bytes."""
    return row("").replace("<verify>", f"{cells},<verify>")  # quiet is empty, where counters were


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.csv, self.former = self.folder / "results.csv", self.folder / "former_counters.csv"

    def write(self, *lines, header=OLD, name="results.csv"):
        """Writes the file; returns its bytes."""
        (self.folder / name).write_text("\n".join([header, *lines, ""]), encoding="utf-8")
        return (self.folder / name).read_bytes()

    def run_tool(self, *arguments):
        """Runs the tool in the folder; returns its exit status, stdout as bytes and stderr."""
        done = subprocess.run([sys.executable, "-B", str(TOOL), *arguments], cwd=self.folder, capture_output=True,
                              timeout=60)
        return done.returncode, done.stdout, done.stderr.decode()

    def migrated(self, *names):
        self.assertEqual(self.run_tool(*(names or ["results.csv"])), (0, b"", ""))
        return self.csv.read_text(encoding="utf-8", errors="surrogateescape")

    def comes_back(self, before, name="results.csv"):
        self.assertEqual(self.run_tool("--back", name), (0, before, ""))

    def refuses(self, says, *arguments):
        """One line on stderr, and every file in the folder as it was."""
        before = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        status, out, err = self.run_tool(*arguments)
        self.assertEqual((status, out, err.count("\n")), (2, b"", 1), err)
        self.assertIn(says, err)
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, before)


class Migration(Case):
    def test_limit_and_bytes_get_columns_and_the_rest_is_kept_beside(self):
        before = self.write(row(f"{FORESEEN};{COUNTED}"), row(COUNTED), row(FORESEEN))
        self.assertEqual(self.migrated().split("\n"), [NEW, moved(COLUMNS_OF_FORESEEN), moved(",,,,"),
                                                       moved(COLUMNS_OF_FORESEEN), ""])
        self.assertEqual(self.former.read_text(), "file,line,counters\n"
                         f"results.csv,2,{COUNTED}\nresults.csv,3,{COUNTED}\n")
        self.comes_back(before)

    def test_no_counters_or_limit_only_leave_no_file_beside(self):
        before = self.write(row(""), row("limit=chain"), row("bytes_l2=7"))
        self.assertEqual(self.migrated().split("\n"),
                         [NEW, moved(",,,,"), moved("chain,,,,"), moved(",,7,,"), ""])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["results.csv"])
        self.comes_back(before)

    def test_a_header_alone(self):
        before = self.write()
        self.assertEqual(self.migrated(), NEW + "\n")
        self.comes_back(before)

    def test_any_text_in_the_cell_comes_back(self):
        texts = ("page_faults=0;limit=L1", "bytes_l1=1;limit=L1", "limit=L1;page_faults=0;bytes_l1=1", "limit=",
                 "limit", "limit=L1;bytes_l1", "limit=L1;", ";limit=L1", "limit=L1;;x=1", ";", ";;=;", "limit=a=b",
                 "limit=L1;limit=L2", "limit=L1;limit", "limits=1;bytes_l11=2", "x", " limit=L1", "=L1", "µ")
        before = self.write(*map(row, texts))
        new = self.migrated().split("\n")
        self.assertEqual(new[1:4], [moved("L1,,,,"), moved("L1,1,,,"), moved("L1,1,,,")], "in any order")
        self.assertIn("results.csv,2,page_faults=0;limit=L1\n", self.former.read_text(), "the whole text: its order")
        self.comes_back(before)

    def test_torn_and_short_lines_stay_as_they_are(self):
        whole = row(f"{FORESEEN};{COUNTED}")
        torn = [whole[:at] for at in range(0, len(whole), 7) if whole[:at].count(",") < OLD.count(",")]
        for newline, last in ("\n", "\n"), ("\n", ""), ("\r\n", "\r\n"):
            lines = [OLD, *torn, whole, "", "torn,by,a,crash" + whole, whole + "," * 7, torn[-1]]
            self.csv.write_bytes(before := (newline.join(lines) + last).encode())
            new = self.migrated().replace("\r", "").split("\n")
            self.assertEqual(new[1:len(torn) + 1], torn)
            self.assertEqual(new[len(torn) + 1], moved(COLUMNS_OF_FORESEEN))
            self.assertIn(f"results.csv,{len(torn) + 2},{COUNTED}\n", self.former.read_text())
            self.comes_back(before)

    def test_bytes_that_are_no_text_come_back(self):
        self.csv.write_bytes(before := OLD.encode() + b"\n" + row("").encode().replace(b"<host>", b"\xff\x00\xc3")
                             + b"\n" + row("x=\xb5").encode("latin-1") + b"\n\xfe\r")
        self.migrated()
        self.comes_back(before)

    def test_files_of_one_folder_share_what_is_kept(self):
        rows = row(COUNTED), row("cycles=1")
        before = self.write(*rows), self.write(rows[1], name="kernel.csv"), self.write(rows[0], name="a, b.csv")
        self.migrated("results.csv", "kernel.csv")
        self.migrated("a, b.csv")
        self.assertEqual(self.former.read_text(), f"file,line,counters\na, b.csv,2,{COUNTED}\nkernel.csv,2,cycles=1\n"
                         f"results.csv,2,{COUNTED}\nresults.csv,3,cycles=1\n")
        for name, text in zip(("results.csv", "kernel.csv", "a, b.csv"), before):
            self.comes_back(text, name)

    def test_a_file_put_back_and_migrated_again_replaces_what_was_kept_of_it(self):
        self.write(row("cycles=1"), name="kernel.csv")
        self.write(row(COUNTED), row(COUNTED))
        self.migrated("kernel.csv", "results.csv")
        before = self.write(row("x=1"), row(""))
        self.migrated()
        self.assertEqual(self.former.read_text(), "file,line,counters\nkernel.csv,2,cycles=1\nresults.csv,2,x=1\n")
        self.comes_back(before)
        before = self.write(row(""))
        self.migrated()
        self.assertEqual(self.former.read_text(), "file,line,counters\nkernel.csv,2,cycles=1\n")
        self.comes_back(before)

    def test_rows_added_since_come_back_without_more(self):
        before = self.write(row(COUNTED))
        self.csv.write_text(self.migrated() + moved(COLUMNS_OF_FORESEEN) + "\n")
        self.comes_back(before + row(FORESEEN).encode() + b"\n")


class Quiet(Case):
    """Files whose counters are gone get the column `quiet`, empty."""

    def between(self, cells):
        return moved(cells).replace("<verdict>,,", "<verdict>,")

    def test_an_empty_cell_and_torn_lines_as_they_are(self):
        torn = self.between("L1,1,2,3,4")[:99]
        self.write(self.between("L1,1,2,3,4"), torn, self.between(",,,,"), torn, header=BETWEEN)
        self.assertEqual(self.migrated().split("\n"), [NEW, moved("L1,1,2,3,4"), torn, moved(",,,,"), torn, ""])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["results.csv"])

    def test_by_way_of_it_the_old_form_comes_back_all_the_same(self):
        before = self.write(row(f"{FORESEEN};{COUNTED}"), row(COUNTED))
        at_once = self.migrated()
        self.csv.write_text("\n".join([BETWEEN, self.between(COLUMNS_OF_FORESEEN), self.between(",,,,"), ""]))
        self.assertEqual(self.migrated(), at_once)
        self.comes_back(before)

    def test_a_line_that_would_pass_for_a_migrated_one(self):
        self.write(self.between(",,,,"), "," * NEW.count(","), header=BETWEEN)
        self.refuses("results.csv, line 3:", "results.csv")


class Refusals(Case):
    def test_a_second_migration(self):
        self.write(row(f"{FORESEEN};{COUNTED}"))
        self.migrated()
        self.refuses("results.csv is migrated already", "results.csv")

    def test_other_columns(self):
        for header in "name,type,vector", OLD + ",more", OLD.removesuffix(",started"), "", "\ufeff" + OLD:
            self.write(row(COUNTED), header=header)
            self.refuses("results.csv has other columns", "results.csv")
            self.refuses("results.csv is not migrated", "--back", "results.csv")

    def test_no_way_back_from_the_old_form(self):
        self.write(row(COUNTED))
        self.refuses("results.csv is not migrated", "--back", "results.csv")

    def test_the_others_are_migrated_all_the_same(self):
        self.write(header="name,type", name="machine.csv")
        self.write(row(""))
        self.assertEqual(self.run_tool("machine.csv", "results.csv"),
                         (2, b"", "migrate.py: machine.csv has other columns\n"))
        self.assertEqual(self.csv.read_text(), f"{NEW}\n{moved(',,,,')}\n")

    def test_a_line_that_would_pass_for_a_migrated_one(self):
        self.write(row(COUNTED), "," * NEW.count(","))
        self.refuses("results.csv, line 3:", "results.csv")

    def test_something_else_where_the_rest_is_to_be_kept(self):
        self.write(row(COUNTED))
        for text in "file,line,counters\nresults.csv,two,x\n", "notes\n", "a,b\n":
            self.former.write_text(text)
            self.refuses("former_counters.csv", "results.csv")

    def test_no_file_a_folder_and_two_ways_back(self):
        self.refuses("No such file", "gone.csv")
        self.refuses("directory", ".")
        self.write(row(""))
        status, out, err = self.run_tool("--back", "results.csv", "results.csv")
        self.assertEqual((status, out, "one file" in err), (2, b"", True))


if __name__ == "__main__":
    unittest.main()
