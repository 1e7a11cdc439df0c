#!/usr/bin/env python3
"""The command line with people: help, mistakes, words, colours, completion. Usage: manners.py <path of the program>"""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
SCREEN = (24, 100)  # lines, columns


def run(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


def flags_in(text):
    return set(re.findall(r"^ +(--[a-z][a-z0-9-]*)", text, re.MULTILINE))


def verbs():
    """The words of every verb, those that have verbs below them too."""
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)*)  ", run("--help-all").stdout, re.MULTILINE)
    return [tuple(words.split()) for words in listed]


class Help(unittest.TestCase):
    def test_the_program_alone_and_every_verb_fit_on_a_screen_with_an_example(self):
        self.assertEqual(run().stdout, run("--help").stdout)
        self.assertEqual(run().returncode, 0)
        self.assertGreaterEqual(len(verbs()), 25)
        for words in [(), *verbs()]:
            ran = run(*words, "--help")
            lines = ran.stdout.splitlines()
            self.assertEqual((ran.returncode, ran.stderr), (0, ""), words)
            self.assertLessEqual(len(lines), SCREEN[0], words)
            self.assertLessEqual(max(map(len, lines)), SCREEN[1], words)
            self.assertRegex(ran.stdout, r"\nExamples?:\n  .*\bsotto ", words)

    def test_a_group_of_verbs_alone_says_what_there_is(self):
        for group in ("data", "ledger"):
            self.assertEqual(run(group).stdout, run(group, "--help").stdout)

    def test_the_first_flags_of_train_are_those_that_people_use_most(self):
        text = run("train", "--help").stdout
        self.assertEqual(flags_in(text), {"--data", "--label", "--schema", "--epsilon", "--delta", "--ledger", "--out",
                                          "--method", "--lambda"})
        self.assertRegex(text, r"'sotto train --help-all' has all \d+ flags")

    def test_all_flags_are_grouped_by_method_in_lines_that_fit(self):
        text = run("train", "--help-all").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), SCREEN[1])
        self.assertRegex(text, r"\nMethod dpgd:\n  gradient descent[^\n]*\n(?:  [^\n]*\n)*?  --passes +passes over the rows; 0 =")
        self.assertRegex(text, r"\nStep constant:\n[^\n]*\n  --step-size +the step; 0 = 1/sqrt\(rows\)")
        self.assertNotRegex(text, r"\(dpgd[^)]*: ")
        for words in verbs():
            fewer, all_of_them = run(*words, "--help").stdout, run(*words, "--help-all").stdout
            self.assertLessEqual(flags_in(fewer), flags_in(all_of_them), words)

    def test_every_flag_of_an_example_is_one(self):
        for words in verbs():
            for example in re.findall(r"^  sotto (.*(?:\\\n.*)?)", run(*words, "--help").stdout, re.MULTILINE):
                verb = [word for word in verbs() if example.startswith(" ".join(word))]
                if verb:
                    longest = max(verb, key=len)
                    told = set(re.findall(r"--[a-z-]+", example))
                    self.assertLessEqual(told, flags_in(run(*longest, "--help-all").stdout), example)


class Mistakes(unittest.TestCase):
    def refused(self, *arguments):
        ran = run(*arguments)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""), arguments)
        return ran.stderr

    def test_a_misspelt_verb_or_flag_is_told_with_the_nearest_one(self):
        for arguments, meant in (((["trian"]), "train"), (["ledger", "shwo", "L"], "show"), (["dtaa", "info"], "data"),
                                 (["train", "--eps", "1"], "--epsilon"), (["train", "--lable", "y"], "--label"),
                                 (["train", "--data", "x.csv", "--epsilon=1", "--lamda=2"], "--lambda"),
                                 (["data", "synth", "spere", "--rows", "1"], "sphere"),
                                 (["train", "--Data", "x"], "--data")):
            said = self.refused(*arguments)
            self.assertIn(f"did you mean {meant}?", said, arguments)
            self.assertNotIn("not expected", said)
            self.assertNotIn("is required", said)

    def test_a_word_far_from_all_is_told_where_they_are(self):
        self.assertIn("there is no verb frobnicate; 'sotto --help' lists them", self.refused("frobnicate"))
        self.assertIn("'train' has no flag --colour; 'sotto train --help-all' lists them", self.refused("train", "--colour", "red"))

    def test_values_are_no_verbs_and_no_flags(self):
        self.assertNotIn("did you mean", run("data", "info", "--data", "trian", "--label", "--").stderr)
        self.assertIn("--data is required", self.refused("train", "--epsilon", "1"))

    def test_a_misspelt_method_loss_or_filter_is_told_with_the_nearest_one(self):
        plan = ("plan", "--rows", "1000", "--features", "3", "--epsilon", "1")
        self.assertIn("did you mean --method bolt_on?", self.refused(*plan, "--method", "bolton"))
        self.assertIn("did you mean --loss logistic?", self.refused(*plan, "--loss", "logistc"))
        self.assertIn("did you mean --relation add_remove?", self.refused(*plan, "--relation", "add-remove"))
        error = json.loads(run(*plan, "--method", "bolton", "--json").stderr)["error"]
        self.assertEqual((error["field"], error["hint"]), ("method", "did you mean --method bolt_on?"))

    def test_an_epsilon_that_was_not_given_is_asked_for(self):
        said = self.refused("plan", "--rows", "1000", "--features", "3")
        self.assertEqual(said, "sotto: epsilon: say how much privacy loss may be spent, above 0 and at most 10000; "
                               "give it by --epsilon\n")

    def test_a_misspelt_column_is_told_where_the_names_are_no_row(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/people.csv"
            with open(path, "w", encoding="utf-8") as file:
                file.write("age,income\n" + "30,1\n40,0\n" * 50)
            train = ("train", "--data", path, "--epsilon", "1", "--out", folder + "/m.json")
            self.assertIn("did you mean age?", self.refused(*train, "--label", "income", "--range", "agee=0:100"))
            self.assertIn("did you mean --label income?", self.refused(*train, "--label", "incom", "--range", "age=0:100"))
            self.assertNotIn("income", self.refused(*train, "--label", "incom", "--data-norm", "1"))


class Words(unittest.TestCase):
    def test_every_method_loss_step_and_filter_has_words_of_its_own(self):
        catalogue = json.loads(run("explain", "--catalog", "--json").stdout)
        known = json.loads(run("explain", "--json").stdout)
        for section, kind in (("methods", "method"), ("losses", "loss"), ("steps", "step rule")):
            self.assertEqual({each["name"] for each in catalogue[section]}, set(known[kind]), kind)
        self.assertEqual(known["relation"], ["replace_one", "add_remove"])
        self.assertEqual(known["filter"], ["sum", "zcdp", "rdp", "gdp"])
        self.assertIn("sensitivity", known["word"])
        self.assertIn("gaussian", known["event"])

    def test_a_method_is_explained_with_parameters_defaults_and_reference(self):
        text = run("explain", "dpgd").stdout
        self.assertRegex(text, r"^dpgd \(method\)\n  meaning +Gradient descent\. Each step sums")
        self.assertRegex(text, r"\n  --passes +passes over the rows; [^[]*\[0\]")
        self.assertRegex(text, r"\n  reference +\[Dong22, Corollary 3\.3\]")

    def test_other_words_are_explained_too(self):
        self.assertIn("Probabilit", run("explain", "logistic").stdout.replace("probabilit", "Probabilit"))
        self.assertEqual(run("explain", "cross_entropy").stdout, run("explain", "logistic").stdout)
        self.assertRegex(run("explain", "zcdp").stdout, r"epsilon 1 and delta 1e-06: [^.]* models of")
        self.assertIn("neighbours", run("explain", "sensitivity").stdout)
        self.assertRegex(run("explain", "--", "--passes").stdout + run("explain", "passes").stdout, r"bolt_on +passes over")
        said = run("explain", "dgpd")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn("did you mean dpgd?", said.stderr)


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = cls.folder.name + "/rows.csv"
        with open(cls.data, "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 10},{int(i % 10 > 4)}\n" for i in range(2000)))
        cls.train = ["train", "--data", cls.data, "--label", "y", "--range", "x=0:9", "--data-norm", "1.5", "--lambda", "0.01",
                     "--out", cls.folder.name + "/m.json"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_promise_stands_in_one_sentence_before_the_card(self):
        text = run(*self.train, "--epsilon", "1").stdout
        self.assertRegex(text, r"^Promise: if any one row were replaced by another, whatever anybody concludes from this model "
                               r"would be at most 2\.719 times as likely(, plus a probability of at most [0-9.e-]+)? "
                               r"\(epsilon 1(, delta [0-9.e-]+)?\)\.\n\nPrivacy card")
        self.assertIn("epsilon 1, once", " ".join(run(*self.train, "--epsilon", "1", "--method", "bolt_on").stdout.split()))

    def test_a_model_that_is_not_private_says_why_first(self):
        text = run(*self.train, "--epsilon", "1", "--noise-seed", "1").stdout
        self.assertRegex(text, r"^NOT PRIVATE: this model promises nothing, because [^\n]+\.\n\nPrivacy card")

    def test_a_class_split_of_one_to_many_is_learned_by_the_intercept(self):
        path = self.folder.name + "/skewed.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 7},{int(i % 100 == 0)}\n" for i in range(20000)))
        ask = ("train", "--data", path, "--label", "y", "--range", "x=0:6", "--epsilon", "1", "--out", self.folder.name + "/s.json")
        features = {}
        for more in ((), ("--intercept", "0")):
            features[more] = json.loads(run(*ask, *more, "--json").stdout)["facts"]["features"]
            accuracy = json.loads(run("evaluate", "--model", self.folder.name + "/s.json", "--data", path, "--json").stdout)["accuracy"]
            if not more:
                self.assertGreater(accuracy, 0.95)
        self.assertEqual(list(features.values()), [2, 1])


class Ledger(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = self.room.name
        with open(self.folder + "/rows.csv", "w", encoding="utf-8") as file:
            file.write("x,y\n" + "".join(f"{i % 10},{int(i % 10 > 4)}\n" for i in range(2000)))

    def tearDown(self):
        self.room.cleanup()

    def ledger(self, verb, *more, code=0):
        ran = run("ledger", verb, self.folder + "/L", *more)
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran.stdout + ran.stderr

    def train(self, epsilon):
        ran = run("train", "--ledger", self.folder + "/L", "--data", self.folder + "/rows.csv", "--label", "y", "--range", "x=0:9",
                  "--data-norm", "1.5", "--lambda", "0.01", "--epsilon", epsilon, "--out", self.folder + "/m.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_new_ledger_takes_half_of_its_epsilon_and_says_what_other_filters_allow(self):
        said = self.ledger("create", "--budget-epsilon", "1", "--data", self.folder + "/rows.csv")
        self.assertRegex(said, r"filter +sum: epsilon and delta add up[^\n]*: 10 models of epsilon 0\.1\n")
        self.assertRegex(said, r"or, by --filter +zcdp: [^\n]* models of epsilon 0\.1 with Gaussian noise")
        self.train("0.5")
        self.assertRegex(self.ledger("log"), r"released +50 percent of the budget, model of epsilon 0\.5 by \w+\n +\[epsilon")

    def test_a_budget_is_lowered_and_never_raised(self):
        self.ledger("create", "--budget-epsilon", "2", "--data", self.folder + "/rows.csv")
        self.train("0.5")
        self.assertRegex(self.ledger("lower", "--budget-epsilon", "1"), r"keep epsilon 1, delta .*from now on\n(.*\n)*.*50 percent used")
        self.assertIn("never raised", self.ledger("lower", "--budget-epsilon", "3", code=2))
        self.assertIn("more is spent", self.ledger("lower", "--budget-epsilon", "0.25", code=4))
        self.assertEqual(json.loads(self.ledger("show", "--json"))["budget"]["epsilon"], 1)
        self.ledger("verify")

    def test_a_ledger_is_never_replaced_and_a_slip_is_told_how_to_mend(self):
        create = ("create", "--budget-epsilon", "0.1", "--data", self.folder + "/rows.csv")
        self.ledger(*create)
        self.assertIn(f"remove it and its anchor {self.folder}/L.anchor", self.ledger(*create, code=6))
        for name in ("L", "L.anchor"):
            os.remove(f"{self.folder}/{name}")
        self.ledger("create", "--budget-epsilon", "2", "--data", self.folder + "/rows.csv")
        self.train("1")
        self.assertIn("it was charged: its budget can be lowered", self.ledger(*create, code=6))


class Colours(unittest.TestCase):
    def on_terminal(self, *arguments, **environment):
        """What the program writes to a terminal, standard error included."""
        reader, writer = pty.openpty()
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
                                   env={**os.environ, "TERM": "xterm", **environment})
        os.close(writer)
        text = b""
        while True:
            try:
                piece = os.read(reader, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        process.wait()
        os.close(reader)
        return text.decode()

    def test_a_terminal_gets_colours_and_nothing_else_does(self):
        plan = ("plan", "--rows", "10000", "--features", "3", "--epsilon", "1")
        self.assertIn("\033[1mPrivacy card", self.on_terminal(*plan))
        self.assertIn("\033[1;31msotto:", self.on_terminal("trian"))
        self.assertIn("\033[1;31mNOT PRIVATE", self.on_terminal("plan", "--rows", "100", "--features", "3", "--method", "lbfgs"))
        for quiet in (self.on_terminal(*plan, NO_COLOR="1"), self.on_terminal(*plan, TERM="dumb"),
                      self.on_terminal(*plan, "--json"), run(*plan).stdout, self.on_terminal("completion", "bash")):
            self.assertNotIn("\033[", quiet)
        self.assertIn("\033[1m", run(*plan, CLICOLOR_FORCE="1").stdout)
        self.assertNotIn("\033[", run(*plan, CLICOLOR_FORCE="1", NO_COLOR="1").stdout)


class Completion(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        with open(self.room.name + "/rows.csv", "w", encoding="utf-8") as file:
            file.write("x\n")

    def tearDown(self):
        self.room.cleanup()

    #: The words typed, what is offered for the last of them, and what is not.
    CASES = ((("tr",), {"train"}, {"tune"}),
             (("data", "synth", "sp"), {"sphere"}, {"large"}),
             (("train", "--met"), {"--method"}, {"--memory-mb"}),
             (("train", "--method", "bolt"), {"bolt_on"}, {"--method"}),
             (("plan", "--loss", "huber"), {"huber_svm"}, set()),
             (("ledger", "create", "--filter", "z"), {"zcdp"}, {"sum"}),
             (("train", "--data", "rows"), {"rows.csv"}, {"--data"}),
             (("ledger", "show", "rows"), {"rows.csv"}, {"show"}),
             (("explain", "whiten"), {"whitened_dpgd"}, {"dpgd"}),
             (("completion", "z"), {"zsh"}, {"bash"}))

    def check(self, complete):
        for words, offered, others in self.CASES:
            found = complete(*words)
            self.assertLessEqual(offered, found, words)
            self.assertFalse(others & found, words)

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_bash(self):
        script = run("completion", "bash").stdout

        def complete(*words):
            ask = ("source /dev/stdin <<< \"$SCRIPT\"; COMP_WORDS=(sotto \"$@\"); COMP_CWORD=$#; _sotto; "
                   "printf '%s\\n' \"${COMPREPLY[@]}\"")
            ran = subprocess.run(["bash", "--norc", "-c", ask, "bash", *words], capture_output=True, text=True, check=True,
                                 stdin=subprocess.DEVNULL, cwd=self.room.name, env={**os.environ, "SCRIPT": script})
            self.assertEqual(ran.stderr, "")
            return set(ran.stdout.split())
        self.check(complete)
        for words in verbs():
            self.assertLessEqual(flags_in(run(*words, "--help-all").stdout), complete(*words, "--"), words)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish(self):
        with open(self.room.name + "/sotto.fish", "w", encoding="utf-8") as file:
            file.write(run("completion", "fish").stdout)

        def complete(*words):
            ask = f"source sotto.fish; complete -C 'sotto {' '.join(words)}'"
            ran = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True,
                                 stdin=subprocess.DEVNULL, cwd=self.room.name, env={**os.environ, "HOME": self.room.name})
            self.assertEqual(ran.stderr, "")
            return {line.split("\t")[0] for line in ran.stdout.splitlines()}
        self.check(complete)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        """Typed into a zsh on a terminal, since completion works nowhere else."""
        with open(self.room.name + "/_sotto", "w", encoding="utf-8") as file:
            file.write(run("completion", "zsh").stdout)
        setup = ("PS1='ready> '; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; "
                 "zstyle ':completion:*' list-prompt ''; setopt auto_list no_list_beep; unsetopt list_ambiguous; LISTMAX=10000")

        def complete(*words):
            process, terminal = pty.fork()
            if process == 0:
                os.chdir(self.room.name)
                os.environ.update(TERM="vt100", HOME=self.room.name, COLUMNS="200")
                os.execvp("zsh", ["zsh", "-f", "-i"])

            def read_until(mark):
                text, give_up = "", time.monotonic() + 60
                while mark not in text and time.monotonic() < give_up:
                    if select.select([terminal], [], [], 1)[0]:
                        text += os.read(terminal, 65536).decode(errors="replace")
                return text
            os.write(terminal, f"{setup}; print -r -- set''up\n".encode())
            read_until("setup\r\n")
            # The list, or the one word, stands before what the shell says of the line when it is abandoned.
            os.write(terminal, f"sotto {' '.join(words)}\t\t".encode())
            os.write(terminal, b"\x01print -r -- line: \x05 :done; exit\n")
            text = read_until(":done\r\n")
            os.close(terminal)
            os.waitpid(process, 0)
            return set(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x07\r\x08]", " ", text).split())
        for words, offered, _ in self.CASES:
            self.assertLessEqual(offered, complete(*words), words)


class Manual(unittest.TestCase):
    def test_every_verb_has_a_page_that_names_its_flags(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("man", "--write", folder).returncode, 0)
            self.assertEqual({os.path.basename(path) for path in os.listdir(folder + "/man1")},
                             {"sotto.1", *("sotto-" + "-".join(words) + ".1" for words in verbs())})
            for shell, name in (("bash", "sotto"), ("zsh", "_sotto"), ("fish", "sotto.fish")):
                with open(f"{folder}/{shell}/{name}", encoding="utf-8") as file:
                    self.assertEqual(file.read() + "\n", run("completion", shell).stdout)
            for words in verbs():
                with open(f"{folder}/man1/sotto-{'-'.join(words)}.1", encoding="utf-8") as file:
                    told = set(re.findall(r"^\\fB(--[a-z-]+)", file.read().replace("\\-", "-"), re.MULTILINE))
                self.assertLessEqual(flags_in(run(*words, "--help-all").stdout), told, words)

    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "no program to read a manual with")
    def test_pages_are_well_formed(self):
        with tempfile.TemporaryDirectory() as folder:
            run("man", "--write", folder)
            for words in ("", "-train", "-data", "-ledger-create", "-explain"):
                shown = subprocess.run(["man", "--warnings", "-l", f"{folder}/man1/sotto{words}.1"], stdin=subprocess.DEVNULL,
                                       capture_output=True, text=True, check=False,
                                       env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
                self.assertEqual((shown.returncode, shown.stderr), (0, ""), words)
                self.assertIn("EXAMPLES", shown.stdout)
        self.assertEqual(run("man", "data", "pcak").returncode, 2)
        self.assertIn("did you mean pack?", run("man", "data", "pcak").stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
