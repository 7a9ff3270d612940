#!/usr/bin/env python3
"""Run what pages of the documentation tell their readers to run, each page in a clean folder of its own.

    tests/site/pages.py BUILD [PAGE...]      pages: those of PAGES below unless given
        --update     write what commands print into the pages, and copy the figures that they make to docs/img
        --keep DIR   leave the folders there

The folder of a page holds a link to examples/, and nothing else. Read from top to bottom:

    <!-- file: NAME -->      the block behind it is written to NAME
        weir ...             indented: a command, which must end with 0; from `$` on: a mistake, which must not
    <!-- output -->          the block behind it is what the last command printed, but for times, speeds and paths
    <!-- figure: FILE -->    the picture behind it is FILE, which the commands must have made; an .svg byte for byte
    <!-- table: STUDY rows=A [columns=B] cells=METRIC:SCALE:DIGITS,... [half] -->
                             the rows of the table behind it are means of the study's aggregate.csv times SCALE, by its
                             parameters A and B, or by A and metric; `half`: with the half width of the interval
    <!-- numbers: STUDY rows=A[,B...] [only=A=VALUE] cells=FIGURE:SCALE:LESS,... -->
    <!-- numbers: RUN RUN... cells=FIGURE:SCALE:LESS,... -->, or lines=
                             the same of a table with words of its own. In each row the numbers behind the labels are compared from
                             left to right, as precisely as they are written; what follows is left alone. A row is a parameter set,
                             with a label for each of A, B..., or a run; with `lines` a row is a figure, and a column a run. FIGURE is
                             a metric, or of a run a path in summary.json or TABLE.COLUMN; [A=VALUE;...] behind it chooses the row.
                             SCALE (1 unless given) is multiplied, LESS (0) then subtracted
    <!-- by day: OPTIONS --> the commands up to the next empty line take long. `make nightly` alone runs them as they stand; by
                             day they get these options too. What they print is not compared then, and of tables from there on
                             only rows and columns, not the numbers
    <!-- needs: MPI -->      the rest of the page is left out where `weir info` says that the build lacks it; `device`: where it
                             names no GPU; `python3:MODULE,...`: where Python lacks a module

Commands are those that begin with weir, mpirun, python3, head, cut or ls. Exit 0: all good; 1: a page is not; prints which, and why.
"""
import argparse
import csv
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ["README.md", "docs/quick-start.md", "docs/python.md", "docs/guide/*.md", "docs/examples/*.md", *(f"docs/{model}.md" for model in (
    "phold", "jackson", "mgk", "kademlia", "wireless", "interconnects"))]
COMMAND = re.compile(r"    (\$ )?((?:weir|mpirun|python3|head|cut|ls) .*?)(?:   +#.*)?$")
MARK = re.compile(r"<!-- (file|output|figure|table|numbers|needs|by day)(?:: (\S.*))? -->$")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
# What differs from run to run, or from machine to machine.
CHANGING = [(r"\bin [\d.e+-]+ (?:ms|s|min|h)\b", "in TIME"), (r"[\d.e+-]+ times real time", "N times real time"),
            (r", [\d.]+ [kMG]?/s", ", RATE"), (r"^  (events|packet hops) .*", r"  \1"),
            (r"^  engine  .*, from [\d.e+-]+ s of the run on: .*\n", ""),  # where engine auto went on differs by machine
            (r"(results +)\S+", r"\1PATH"), (r" +", " ")]


class Wrong(Exception):
    pass


def settled(text):
    for pattern, instead in CHANGING:
        text = re.sub(pattern, instead, text, flags=re.M)
    return [line.rstrip() for line in text.strip().split("\n")]


class Page:
    def __init__(self, path, build, folder, update):
        self.path, self.folder, self.update = path, folder, update
        self.lines = path.read_text().split("\n")
        self.said, self.n, self.shorter, self.more, self.by_day = "", 0, False, "", False  # more: options by day
        self.environment = dict(os.environ, WEIR_LIBRARY=str(build / "libweir.so"), PYTHONPATH=str(ROOT / "python"),
                                PATH=f"{build / 'src/cli'}:/usr/bin:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        (folder / "examples").symlink_to(ROOT / "examples")

    def fail(self, at, text):
        raise Wrong(f"{self.path.relative_to(ROOT)}:{at + 1}: {text}")

    def block(self, at):
        """The fenced block after line `at`: (its first line, the line that closes it)."""
        start = at + 1
        if start >= len(self.lines) or not self.lines[start].startswith("```"):
            self.fail(at, "wants a fenced block right behind it")
        return start + 1, next(i for i in range(start + 1, len(self.lines)) if self.lines[i].startswith("```"))

    def run(self, at, command, mistake):
        """A command that takes longer than five minutes ends the test."""
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300)  # progress and warnings go to stderr
        self.said, self.shorter = done.stdout, self.more != ""
        self.n += 1
        if mistake != (done.returncode != 0):
            self.fail(at, f"'{command}' ends with {done.returncode}:\n{done.stdout}{done.stderr}")

    def output(self, at):
        start, end = self.block(at)
        shown = "\n".join(self.lines[start:end])
        if not self.shorter and settled(shown) != settled(self.said):
            if not self.update:
                self.fail(at, f"the last command does not print\n{shown}\nbut\n{self.said}")
            self.lines[start:end] = self.said.rstrip().split("\n")

    def figure(self, at, name, link):
        made = self.folder / name
        shown = re.search(r"!\[.*\]\((\S+)\)", link)
        if not made.exists():
            self.fail(at, f"the commands do not make {name}; in its folder: {sorted(p.name for p in made.parent.glob('*'))}")
        if not shown:
            self.fail(at, "wants a picture right behind it")
        picture = (self.path.parent / shown.group(1)).resolve()
        if self.update:
            shutil.copyfile(made, picture)
        elif not picture.exists():
            self.fail(at, f"there is no {picture}")
        elif made.suffix == ".svg" and not self.by_day and picture.read_bytes() != made.read_bytes():
            self.fail(at, f"{picture} is not what the commands make; --update copies it")

    def table(self, at, said):
        study, *words = said.split()
        options = dict(w.partition("=")[::2] for w in words)
        with open(self.folder / study / "aggregate.csv", newline="") as f:
            found = list(csv.DictReader(f))
        rows, columns = options["rows"], options.get("columns")
        cells = [c.split(":") for c in options["cells"].split(",")]

        def cell(row, column, name, scale, digits):
            of = next(r for r in found if r[rows] == row and r["metric"] == name and (column is None or r[columns] == column))
            values = {k: float(of[k]) * float(scale) for k in ("mean", "low", "high") if of[k]}
            return f"{values['mean']:.{digits}f}" + (f" ± {(values['high'] - values['low']) / 2:.{digits}f}" if "half" in options else "")

        unique = lambda key: list(dict.fromkeys(r[key] for r in found))
        made = ["| " + " | ".join([row] + [cell(row, column, *c) for column in (unique(columns) if columns else [None]) for c in cells]) + " |"
                for row in unique(rows)]
        start = at + 3
        end = next(i for i in range(start, len(self.lines)) if not self.lines[i].startswith("|"))
        labels = lambda rows: [r.split("|")[1] + str(r.count("|")) for r in rows] if self.by_day else rows
        if labels(self.lines[start:end]) != labels(made):
            if not self.update:
                self.fail(at, "the study has\n" + "\n".join(made))
            self.lines[start:end] = made

    def value(self, folder, figure, keys):
        """A figure of a study, which has aggregate.csv, or of a run."""
        name, *more = re.findall(r"[^][=;]+", figure)
        keys = {**keys, **dict(zip(more[::2], more[1::2]))}
        if (folder / "aggregate.csv").exists():
            table, column, keys["metric"] = "aggregate", "mean", name
        elif keys:
            table, column = name.split(".")
        else:
            found = json.loads((folder / "summary.json").read_text())
            for step in name.split("."):
                found = next(c for c in found if c["name"] == step) if isinstance(found, list) else found[step]
            return float(found)
        with open(folder / f"{table}.csv", newline="") as f:
            return float(next(r[column] for r in csv.DictReader(f) if all(r[k] == v for k, v in keys.items())) or "nan")  # shortened runs lack some

    def sets(self, study, names, only):
        """Parameter sets of a study, by their values of these names, the last of which changes fastest."""
        with open(study / "aggregate.csv", newline="") as f:
            found = [r for r in csv.DictReader(f) if all(r[k] == v for k, v in only.items())]
        have = {tuple(r[n] for n in names) for r in found}
        return [{**only, **dict(zip(names, row))}
                for row in itertools.product(*(dict.fromkeys(r[n] for r in found) for n in names)) if row in have]

    def numbers(self, at, said):
        words = [w.split("=", 1) for w in said.split()]
        options, folders = dict(w for w in words if len(w) == 2), [self.folder / w[0] for w in words if len(w) == 1]
        names = options["rows"].split(",") if "rows" in options else []
        only = dict([options["only"].split("=")] if "only" in options else [])
        of = [(folders[0], keys) for keys in self.sets(folders[0], names, only)] if names else [(f, {}) for f in folders]
        if not of:
            self.fail(at, f"there is no parameter set with {only}")
        cells = [[*c.split(":"), *("1", "0")[c.count(":"):]] for c in (options.get("cells") or options["lines"]).split(",")]
        made = [[self.value(folder, figure, keys) * float(scale) - float(less) for figure, scale, less in cells] for folder, keys in of]
        for i, row in enumerate(zip(*made) if "lines" in options else made, at + 3):
            values = iter(row)

            def put(old):
                value = next(values, None)
                return old[0] if value is None else f"{value:{',' if ',' in old[0] else ''}.{len(old[0].partition('.')[2])}f}"

            cut = [*re.finditer(r"\|", self.lines[i] + "|" * (len(names) + 2))][max(1, len(names))].end()
            line = self.lines[i][:cut] + NUMBER.sub(put, self.lines[i][cut:])
            if next(values, None) is not None:
                self.fail(i, f"has too few numbers for {row}")
            if line != self.lines[i] and not self.by_day:
                if not self.update:
                    self.fail(i, f"the results have\n{line}")
                self.lines[i] = line

    def has(self, name, features):
        if name.startswith("python3:"):
            return subprocess.run(["python3", "-c", "import " + name[8:]], env=self.environment, stderr=subprocess.DEVNULL).returncode == 0
        if name == "device":
            return re.search(r"^ *gpu +(?!none| )", features, re.M)
        return re.search(rf"^ *in +{name}\b", features, re.M)

    def go(self, features):
        at, fenced, figures = 0, False, []
        while at < len(self.lines):
            line = self.lines[at]
            mark, command = MARK.match(line), COMMAND.match(line)
            if line.startswith("```"):
                fenced = not fenced
            elif mark and not fenced:
                kind, name = mark.groups()
                if kind == "needs" and not self.has(name, features):
                    return f"{self.n} commands; the rest wants {name}"
                if kind == "by day" and not self.update and not os.environ.get("WEIR_NIGHTLY"):
                    self.by_day, self.more = True, " " + name
                    at += 1  # the empty line behind it
                elif kind == "file":
                    start, end = self.block(at)
                    (self.folder / name).write_text("\n".join(self.lines[start:end]) + "\n")
                elif kind == "output":
                    self.output(at)
                elif kind == "table":
                    self.table(at, name)
                elif kind == "numbers":
                    self.numbers(at, name)
                elif kind == "figure":
                    figures.append((at, name, self.lines[at + 1]))
            elif command and not fenced:
                self.run(at, command.group(2) + self.more, bool(command.group(1)))
            elif not line:
                self.more = ""
            at += 1
        for figure in figures:  # a page may begin with the picture that its commands make
            self.figure(*figure)
        if self.update:
            self.path.write_text("\n".join(self.lines))
        return f"{self.n} commands"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep")
    args = parser.parse_args()
    build = Path(args.build).resolve()
    pages = [Path(p).resolve() for p in args.pages] or [p for name in PAGES for p in sorted(ROOT.glob(name))]
    features = subprocess.run([build / "src/cli/weir", "info"], capture_output=True, text=True, check=True).stdout
    room = Path(args.keep or tempfile.mkdtemp()).resolve()
    bad = 0
    try:
        for path in pages:
            folder = room / str(path.relative_to(ROOT).with_suffix("")).replace("/", "-")
            folder.mkdir(parents=True)
            try:
                print(f"{path.relative_to(ROOT)}: {Page(path, build, folder, args.update).go(features)}", flush=True)
            except Wrong as wrong:
                bad += 1
                print(wrong, flush=True)
    finally:
        if not args.keep:
            shutil.rmtree(room)
    return 1 if bad else 0


sys.exit(main())
