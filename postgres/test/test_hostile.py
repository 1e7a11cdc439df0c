"""Code that others attach to what a curator or superuser reads: none of it runs, or it runs with no rights to write."""
import subprocess
import time
import unittest

import data
from base import ServerCase

ROWS = "SELECT 20 + i % 60 AS age, i % 100 + 0.5 AS income, CASE WHEN i % 3 = 0 THEN 'yes' ELSE 'no' END AS buys"
HOMES = "(ARRAY['city', 'town', 'farm'])[1 + i % 3]"
ARRAY = '{"x": {"size": 2, "min": 0, "max": 100}}'

# It writes down who ran it, and takes what it is after: rows of a table its owner may not read.
SPY = """CREATE FUNCTION ann.{name}({argument}) RETURNS {answer} LANGUAGE plpgsql {volatile} AS $$ BEGIN
  BEGIN
    INSERT INTO ann.loot SELECT current_user, row_to_json(c)::text FROM public.customers c LIMIT 1;
  EXCEPTION WHEN OTHERS THEN NULL;
  END;
  PERFORM pg_catalog.pg_notify('seen', current_user::text);
  RETURN {value}; END $$;"""


def spy(name, argument, answer, value, volatile="VOLATILE"):
    return SPY.format(name=name, argument=argument, answer=answer, value=value, volatile=volatile)


class Hostile(ServerCase):
    """ann owns types, tables and views in a schema of her own, and may read nothing else."""
    rows = 300

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql("CREATE ROLE ann LOGIN IN ROLE sotto_analyst; CREATE SCHEMA ann AUTHORIZATION ann;"
                       "GRANT USAGE ON SCHEMA ann TO PUBLIC; GRANT TEMP ON DATABASE postgres TO ann")
        cls.server.sql("CREATE TABLE ann.loot (who text, what text); GRANT INSERT ON ann.loot TO PUBLIC", user="ann")

    def offer(self, name, column, features=None):
        """A table of ann's that the curator may read; each has other rows."""
        Hostile.offered = getattr(Hostile, "offered", 200) + 1
        self.sql(f"CREATE TABLE ann.{name} AS {ROWS}, {column} FROM generate_series(1, {Hostile.offered}) i;"
                 f"GRANT SELECT ON ann.{name} TO curator, analyst", user="ann")

    def looted(self):
        """Who ran a function of ann's that could write, and forgets it."""
        return self.sql("SELECT DISTINCT who FROM ann.loot; DELETE FROM ann.loot").split()

    def heard(self, text, user):
        """As whom a function of ann's was run at all: it tells whoever listens."""
        said = self.sql(f"LISTEN seen; {text}; SELECT 1", user=user)
        return {line.split('payload "')[1].split('"')[0] for line in said.splitlines() if 'payload "' in line}


class Types(Hostile):
    def cast(self, kind, declared, value="enum_out($1)::text", target="text"):
        return (f"CREATE TYPE ann.{kind} AS {declared};" + spy(f"cast_{kind}", f"ann.{kind}", target, value) +
                f"CREATE CAST (ann.{kind} AS {target}) WITH FUNCTION ann.cast_{kind}(ann.{kind});")

    def test_a_draft_leaves_out_what_is_not_read(self):
        self.sql(self.cast("flat_t", "ENUM ('city', 'town', 'farm')"), user="ann")
        self.offer("flats", f"{HOMES}::ann.flat_t AS home")
        for user in ("curator", "admin"):
            with self.subTest(user=user):
                draft = "SELECT d -> 'features' ? 'age', d -> 'features' ? 'home' FROM sotto.draft('ann.flats', 'buys') d"
                self.assertEqual(self.sql(draft, user=user), "t|f")
        self.assertEqual(self.looted(), [])

    def test_a_cast_of_an_enum_is_never_run(self):
        self.sql("CREATE TYPE ann.home_t AS ENUM ('city', 'town', 'farm')", user="ann")
        self.offer("houses", f"{HOMES}::ann.home_t AS home")
        self.sql(data.register("houses", "ann.houses"), user="curator")
        model = self.sql(data.train("houses"), user="analyst")
        fingerprint = self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'houses'")
        self.sql("SELECT sotto.refresh('houses')", user="curator")
        self.assertEqual(self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'houses'"), fingerprint)
        # Added after the table was looked at.
        self.sql(spy("cast_home", "ann.home_t", "text", "random()::text") +
                 "CREATE CAST (ann.home_t AS text) WITH FUNCTION ann.cast_home(ann.home_t)", user="ann")
        for user, text in (("curator", "SELECT sotto.refresh('houses')"), ("admin", "SELECT sotto.refresh('houses')"),
                           ("curator", data.register("houses2", "ann.houses")), ("admin", data.register("houses3", "ann.houses")),
                           ("curator", data.register("houses4", "ann.houses", options=data.LABEL[:-1] + ', "layout": "unpacked"}')),
                           ("admin", f"SELECT sotto.evaluate({model}, 'ann.houses')"),
                           ("analyst", f"SELECT sotto.evaluate({model}, 'ann.houses')"),
                           ("curator", "SELECT sotto.tune('houses', '{\"lambda\": [0.01]}', tune_by => 'public', epsilon => 1, "
                                       "public_source => 'ann.copied')"),
                           ("curator", f"SELECT sotto.score_cells({model}, sotto.cell(age), sotto.cell(income), sotto.cell(home), "
                                       "sotto.cell(buys)) FROM ann.houses")):
            self.sql("CREATE TABLE IF NOT EXISTS ann.copied AS SELECT * FROM ann.houses WHERE age < 60; "
                     "GRANT SELECT ON ann.copied TO PUBLIC", user="ann")
            with self.subTest(text=text, user=user):
                self.refuse(text, "cast function", user=user)
        self.assertEqual(self.looted(), [])
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.dataset WHERE name LIKE 'houses%'"), "1")
        # Without it the same rows are the same rows.
        self.sql("DROP CAST (ann.home_t AS text)", user="ann")
        self.refuse(data.register("houses5", "ann.houses"), "registered already", user="curator")
        self.sql("SELECT sotto.refresh('houses')")
        self.assertEqual(self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'houses'"), fingerprint)

    def test_casts_do_not_give_the_same_rows_three_budgets(self):
        self.sql(self.cast("point_t", "(a float8, b float8)", "ARRAY[random(), random()]::float8[]", "float8[]"), user="ann")
        self.offer("points", "ROW(i % 7, i % 5)::ann.point_t AS x")
        for i in range(3):
            self.refuse(data.register(f"points{i}", "ann.points", features=ARRAY), "must be float4[] or float8[]", user="curator")
        self.assertEqual(self.looted(), [])

    def test_domains_composite_types_and_other_arrays_are_refused(self):
        self.sql(spy("even", "int4", "bool", "true") + "CREATE DOMAIN ann.years AS int4 CHECK (ann.even(VALUE));"
                 "CREATE DOMAIN ann.pair AS float8[]; CREATE TYPE ann.whole AS (a int4)", user="ann")
        self.offer("odd", "(i % 9)::ann.years AS years, ROW(i)::ann.whole AS whole, ARRAY[i % 7, i % 5] AS ints, "
                   "ARRAY[i % 7, i % 5]::ann.pair AS pair, ARRAY[i]::ann.years[] AS many, '{1,2}'::numeric[] AS exact")
        self.sql("DELETE FROM ann.loot")
        for column in ("years", "whole", "ints"):
            self.refuse(data.register("odd", "ann.odd", features=f'{{"{column}": [0, 9]}}'), "must be cast", user="curator")
        for column in ("ints", "pair", "many", "exact"):
            self.refuse(data.register("odd", "ann.odd", features=ARRAY.replace('"x"', f'"{column}"')), "must be float4[] or float8[]",
                        user="curator")
        # A name that is no column could be that of the whole row.
        self.refuse(data.register("odd", "ann.odd", features='{"odd": [0, 9]}'), 'column "odd" does not exist', user="curator")
        self.refuse("SELECT sotto.register('odd', 'ann.odd', 'odd', '{\"age\": [0, 9]}', epsilon => 1, options => "
                    "'{\"positive\": [\"a\"], \"negative\": [\"b\"]}')", 'column "odd" does not exist', user="curator")
        self.assertEqual(self.looted(), [])

    def test_a_label_of_a_hostile_type_is_refused_too(self):
        self.sql(self.cast("answer", "ENUM ('yes', 'no')"), user="ann")
        self.offer("labelled", "CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END::ann.answer AS said")
        for user in ("curator", "admin"):
            self.refuse("SELECT sotto.register('labelled', 'ann.labelled', 'said', '{\"age\": [20, 80]}', epsilon => 1, options => "
                        "'{\"positive\": [\"yes\"], \"negative\": [\"no\"]}')", "cast function", user=user)
        self.assertEqual(self.looted(), [])

    def moody(self):
        """A model, and a type of ann's with a cast to json; the cast can be made later."""
        self.sql("DROP TYPE IF EXISTS ann.mood CASCADE; DROP TABLE IF EXISTS ann.prospects; CREATE TYPE ann.mood AS ENUM ('glad', 'sad');" +
                 spy("json_mood", "ann.mood", "json", "'1'::json"), user="ann")
        self.offer("prospects", f"{HOMES} AS home, 'sad'::ann.mood AS mood, ARRAY['sad'::ann.mood] AS moods")
        if self.sql("SELECT count(*) FROM sotto.datasets WHERE name = 'shop'") == "0":
            self.sql(data.register(), user="curator")
        return self.sql(data.train(), user="analyst")

    CAST = "CREATE CAST (ann.mood AS json) WITH FUNCTION ann.json_mood(ann.mood)"

    def test_a_row_to_predict_for_runs_no_cast_to_json(self):
        model = self.moody()
        self.sql(self.CAST, user="ann")
        said = self.sql(f"SELECT sotto.predict_proba({model}, r) FROM ann.prospects t, LATERAL (SELECT t.age, t.income, t.home) r")
        self.assertEqual(len(said.split()), Hostile.offered)
        extra = {"a column": "t.mood", "an array": "t.moods", "a record": "ROW(t.mood)", "a record in one": "ROW(1, ROW(t.mood, 'x'))",
                 "an array of records": "ARRAY[ROW(t.mood)]", "a row": "t", "an array of rows": "ARRAY[t]", "a span of time": "interval '1 day'"}
        for kind, value in extra.items():
            row = f"(SELECT r FROM (SELECT t.age, t.income, t.home, {value} AS more) r)"
            with self.subTest(kind=kind):  # not a column of the model: nobody looks at it
                self.assertEqual(self.sql(f"SELECT sotto.predict_proba({model}, {row}) FROM ann.prospects t"), said)
                self.sql(f"SELECT sotto.predict({model}, {row}) FROM ann.prospects t")
                home = f"SELECT sotto.predict({model}, r) FROM ann.prospects t, LATERAL (SELECT t.age, t.income, {value} AS home) r"
                if kind == "a column":  # an enum, by its label
                    self.sql(home)
                else:
                    self.refuse(home, "must be cast")
                if kind != "a row":
                    self.refuse(f"SELECT sotto.predict({model}, {value}) FROM ann.prospects t", "x: ")
        self.assertEqual(self.sql(f"SELECT sotto.predict_proba({model}, t) FROM ann.prospects t"), said)
        # Records of two tables in one query: the type of each is looked at.
        self.sql("CREATE TABLE ann.plain AS SELECT age, income, home FROM ann.prospects LIMIT 1;"
                 "CREATE FUNCTION ann.first() RETURNS record LANGUAGE sql VOLATILE AS 'SELECT t FROM ann.plain t LIMIT 1';"
                 "CREATE FUNCTION ann.second() RETURNS record LANGUAGE sql VOLATILE AS 'SELECT p FROM (SELECT t.income, t.home, t.mood AS age "
                 "FROM ann.prospects t) p LIMIT 1'", user="ann")
        self.sql(f"SELECT sotto.predict({model}, ann.first())")
        self.refuse(f"SELECT sotto.predict({model}, r) FROM (SELECT ann.first() AS r UNION ALL SELECT row(1, 'x')) q", "has no column age")
        self.sql(f"SELECT sotto.predict({model}, r) FROM (SELECT ann.first() AS r UNION ALL SELECT ann.second()) q")
        self.assertEqual(self.looted(), [])

    def test_a_cast_made_while_rows_are_predicted_is_not_run(self):
        model = self.moody()
        session = subprocess.Popen(self.server.command("admin", "postgres"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        session.stdin.write(f"BEGIN; DECLARE c CURSOR FOR SELECT sotto.predict({model}, t) IS NOT NULL FROM ann.prospects t; FETCH 1 FROM c;\n")
        session.stdin.flush()
        self.assertEqual(session.stdout.readline().strip(), "t")
        self.sql(self.CAST, user="ann")
        # Whatever takes a lock hears of the cast.
        said = session.communicate("SELECT count(*) = 0 FROM ann.loot; FETCH 20 FROM c; COMMIT;\n", timeout=60)[0].split()
        self.assertEqual(said, ["t"] * 21)
        self.assertEqual(self.looted(), [])

    def test_rows_to_predict_for_mean_what_they_mean_when_they_are_registered(self):
        model = self.moody()
        self.sql("CREATE DOMAIN ann.age_t AS int4; CREATE TYPE ann.place AS ENUM ('city', 'town', 'farm')", user="ann")
        plain = "30 AS age, 50.5::float8 AS income, 'town' AS home"
        want = self.sql(f"SELECT sotto.predict_proba({model}, r) FROM (SELECT {plain}) r")
        for row in ("30::int8 AS age, 50.5::numeric AS income, 'town'::char(9) AS home", "30::ann.age_t AS age, 50.5::float4 AS income, "
                    "'town'::ann.place AS home", "'town'::varchar AS home, '50.5' AS income, 30::int2 AS age"):
            self.assertEqual(self.sql(f"SELECT sotto.predict_proba({model}, r) FROM (SELECT {row}) r"), want)
        for kind in ("json", "jsonb"):
            self.assertEqual(self.sql(f"SELECT sotto.predict_proba({model}, '{{\"age\": 30, \"income\": 50.5, \"home\": \"town\"}}'::{kind})"), want)
        for missing in ("NULL::int4 AS age, 1 AS income, 'town' AS home", "1e400::numeric AS age, 1 AS income, 'town' AS home",
                        "'nan'::float8 AS age, 1 AS income, 'town' AS home"):
            self.assertEqual(self.sql(f"SELECT sotto.predict({model}, r) IS NULL FROM (SELECT {missing}) r"), "t")
        self.refuse(f"SELECT sotto.predict({model}, ARRAY[1, 2])", "must be an object of columns")
        for other in ("5", "'x'::text", "ARRAY['x']", "now()", "ARRAY[now()]"):
            self.refuse(f"SELECT sotto.predict({model}, {other})", "is not read")


class Code(Hostile):
    """What the server runs for a plain SELECT, by design: as a reader who can do nothing but read, never as a superuser."""

    def test_functions_of_a_view_do_not_run_as_a_superuser(self):
        self.offer("base", f"{HOMES} AS home")
        self.sql(spy("shown", "text", "text", "$1") + "CREATE VIEW ann.seen AS SELECT age, income, ann.shown(home) AS home, buys FROM "
                 "ann.base; GRANT SELECT ON ann.seen TO curator, analyst", user="ann")
        self.assertEqual(self.heard(data.register("seen", "ann.seen").rstrip(";"), "curator"), {"curator"})
        self.assertEqual(self.heard("SELECT sotto.refresh('seen')", "admin"), {"curator"})
        model = self.sql(data.train("seen"), user="analyst")
        self.assertEqual(self.heard(f"SELECT sotto.evaluate({model}, 'ann.seen')", "admin"), {"ann"})
        self.assertEqual(self.heard(f"SELECT sotto.evaluate({model}, 'ann.seen')", "analyst"), {"analyst"})
        tune = ("SELECT sotto.tune('seen', '{\"lambda\": [0.1, 0.01]}', tune_by => 'public', method => 'bolt_on', epsilon => 0.5, "
                "public_source => 'ann.seen2')")
        self.sql("CREATE VIEW ann.seen2 AS SELECT * FROM ann.seen WHERE age < 70; GRANT SELECT ON ann.seen2 TO PUBLIC", user="ann")
        self.assertEqual(self.heard(tune, "admin"), {"ann"})
        self.assertEqual(self.looted(), [])

    def test_a_superuser_who_registers_a_view_reads_it_as_its_owner(self):
        self.offer("base2", f"{HOMES} AS home")
        self.sql(spy("shown2", "text", "text", "$1") + "CREATE VIEW ann.mine AS SELECT age, income, ann.shown2(home) AS home, buys FROM "
                 "ann.base2", user="ann")
        for layout in ("packed", "unpacked"):
            options = data.LABEL[:-1] + f', "layout": "{layout}"}}'
            self.assertEqual(self.heard(data.register("mine", "ann.mine", options=options).rstrip(";"), "admin"), {"ann"})
            self.assertEqual(self.heard("SELECT sotto.refresh('mine')", "admin"), {"ann"})
            if layout == "unpacked":
                self.assertEqual(self.heard("SELECT sotto.train_table('mine', method => 'bolt_on', epsilon => 1, lambda => 0.01)",
                                            "admin"), {"ann"})
            self.sql("SELECT sotto.unregister('mine')")
        self.assertEqual(self.looted(), [])

    def test_a_policy_of_row_security_is_that_of_the_curator(self):
        self.offer("walled", f"{HOMES} AS home")
        self.sql(spy("pass", "int4", "bool", "$1 < 70") + "ALTER TABLE ann.walled ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON ann.walled "
                 "USING (ann.pass(age))", user="ann")
        self.assertEqual(self.heard(data.register("walled", "ann.walled").rstrip(";"), "curator"), {"curator"})
        rows = self.sql("SELECT rows FROM sotto.datasets WHERE name = 'walled'")
        self.assertLess(int(rows), Hostile.offered)
        # A superuser, whom no policy binds, refreshes it: the same rows.
        self.assertEqual(self.heard("SET row_security = off; SELECT sotto.refresh('walled')", "admin"), {"curator"})
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'walled'"), rows)
        self.assertEqual(self.looted(), [])

    def test_operators_defaults_indexes_and_triggers_are_not_run(self):
        self.offer("hooked", f"{HOMES} AS home")
        for kind in ("text", "int4", "float8"):
            self.sql(spy(f"same_{kind}", f"{kind}, {kind}", "bool", "true") +
                     f"CREATE OPERATOR ann.= (LEFTARG = {kind}, RIGHTARG = {kind}, FUNCTION = ann.same_{kind});"
                     f"CREATE OPERATOR ann.< (LEFTARG = {kind}, RIGHTARG = {kind}, FUNCTION = ann.same_{kind})", user="ann")
        self.sql(spy("fresh", "", "int4", "7") + spy("hook", "", "trigger", "NEW") +
                 "ALTER TABLE ann.hooked ADD later int4 DEFAULT ann.fresh();"
                 "CREATE TRIGGER t BEFORE INSERT ON ann.hooked FOR EACH ROW EXECUTE FUNCTION ann.hook();"
                 "ALTER TABLE ann.hooked ALTER age SET DEFAULT ann.fresh(); DELETE FROM ann.loot;" +
                 spy("keyed", "int4", "int4", "$1", "IMMUTABLE") + "CREATE INDEX ON ann.hooked (ann.keyed(age)); DELETE FROM ann.loot",
                 user="ann")
        path = "SET search_path = ann, pg_catalog;"
        features = data.FEATURES[:-1] + ', "later": [0, 10]}'
        self.assertEqual(self.heard(path + data.register("hooked", "ann.hooked", features=features).rstrip(";"), "curator"), set())
        for user in ("curator", "admin"):
            self.assertEqual(self.heard(path + "SELECT sotto.refresh('hooked')", user), set())
        model = self.sql(data.train("hooked"), user="analyst")
        self.assertEqual(self.heard(path + f"SELECT sotto.evaluate({model}, 'ann.hooked')", "admin"), set())
        self.assertEqual(self.looted(), [])

    def test_constant_parts_of_an_index_are_computed_with_no_rights_of_a_superuser(self):
        """The planner does that for any SELECT."""
        self.offer("indexed", f"{HOMES} AS home")
        self.sql(spy("fixed", "int4", "int4", "$1", "IMMUTABLE") + "CREATE INDEX ON ann.indexed ((age + ann.fixed(1))); DELETE FROM ann.loot",
                 user="ann")
        self.assertLessEqual(self.heard(data.register("indexed", "ann.indexed").rstrip(";"), "curator"), {"curator"})
        self.assertLessEqual(self.heard("SELECT sotto.refresh('indexed')", "admin"), {"curator"})
        self.assertEqual(self.looted(), [])

    def test_a_function_cannot_make_itself_writable(self):
        self.offer("base3", f"{HOMES} AS home")
        self.sql("""CREATE FUNCTION ann.bold(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
                      BEGIN PERFORM set_config('transaction_read_only', 'off', true); EXCEPTION WHEN OTHERS THEN NULL; END;
                      BEGIN INSERT INTO ann.loot VALUES (current_user, $1); EXCEPTION WHEN OTHERS THEN NULL; END;
                      BEGIN EXECUTE 'SET ROLE curator'; INSERT INTO ann.loot VALUES ('role', $1); EXCEPTION WHEN OTHERS THEN NULL; END;
                      BEGIN EXECUTE 'CREATE TEMP TABLE t (i int)'; INSERT INTO ann.loot VALUES ('temp', $1);
                      EXCEPTION WHEN OTHERS THEN NULL; END;
                      RETURN $1; END $$;
                    CREATE VIEW ann.bolder AS SELECT age, income, ann.bold(home) AS home, buys FROM ann.base3;
                    GRANT SELECT ON ann.bolder TO curator""", user="ann")
        self.sql(data.register("bolder", "ann.bolder"), user="curator")
        self.assertEqual(self.looted(), [])
        # The session is as it was.
        self.sql("SELECT sotto.refresh('bolder'); CREATE TEMP TABLE t AS SELECT 1; SELECT current_setting('transaction_read_only')::bool = false",
                 user="curator")


class Replaced(Hostile):
    """The table that was checked is the table that is read, and its values are of the types that were checked."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql("CREATE TABLE points AS SELECT ARRAY[i % 7, i % 5]::float8[] AS x, (i % 2)::int8 AS y FROM generate_series(1, 300) i;"
                       "GRANT SELECT ON points TO curator; GRANT CREATE ON DATABASE postgres TO ann")
        cls.server.sql("SELECT sotto.register('points', 'points', 'y', '" + ARRAY + "', epsilon => 10, delta => 1e-6, options => "
                       "'{\"positive\": [\"1\"], \"negative\": [\"0\"], \"filter\": \"sum\"}')", user="curator")
        cls.model = cls.server.sql(data.train("points"), user="analyst")

    def during(self, first, asked, user, meanwhile, last):
        """What a query says that waits for the locks of a transaction of ann's, which does more once it waits."""
        holder = subprocess.Popen(self.server.command("ann", "postgres"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        holder.stdin.write(f"BEGIN; {first}; SELECT 'held';\n")
        holder.stdin.flush()
        self.assertEqual(holder.stdout.readline().strip(), "held")
        waiting = self.server.start_sql(asked, user=user)
        deadline = time.monotonic() + 60
        while self.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0":
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(waiting.poll())
            time.sleep(0.05)
        if meanwhile:
            self.sql(meanwhile, user="ann")
        holder.communicate(last + ";\n", timeout=60)
        return waiting.communicate(timeout=60)

    def test_an_array_model_needs_its_one_column(self):
        started = self.sql("SELECT pg_postmaster_start_time()")
        # Who may look up what is internal gets no further.
        self.sql("GRANT USAGE ON SCHEMA sotto_internal TO ann")
        self.addCleanup(self.sql, "REVOKE USAGE ON SCHEMA sotto_internal FROM ann")
        self.sql("CREATE TABLE ann.bare (y int8, x float8[]); INSERT INTO ann.bare VALUES (4702111234474983745, '{1,2}')", user="ann")
        for features in ("{}", '{"x": 1, "y": 1}', '{"x": 1, "x": 1}'):
            self.refuse(f"SELECT sotto_internal.evaluate({self.model}, 'ann.bare', 'y', '{features}')", "ERROR", user="ann")
        self.refuse(f"SELECT sotto_internal.evaluate({self.model}, 'ann.bare', 'y', '{{}}')", "one column", user="ann")
        self.refuse(f"SELECT sotto_internal.evaluate({self.model}, 'ann.bare', 'y', '{{\"y\": 1}}')", "must be float4[] or float8[]", user="ann")
        self.assertEqual(self.sql("SELECT pg_postmaster_start_time()"), started)

    def test_a_table_renamed_while_it_is_waited_for_is_still_the_one_that_is_read(self):
        self.sql("CREATE TABLE ann.q (x float8[], y int8); INSERT INTO ann.q VALUES ('{1,2}', 1), ('{3,4}', 0);"
                 "CREATE TABLE ann.q2 (x int8, y int8); INSERT INTO ann.q2 VALUES (4702111234474983745, 1)", user="ann")
        oid = self.sql("SELECT 'ann.q'::regclass::oid")
        figures = self.sql(f"SELECT sotto.evaluate({self.model}, 'ann.q')", user="ann")
        said, problem = self.during("ALTER TABLE ann.q RENAME TO q_old; ALTER TABLE ann.q2 RENAME TO q",
                                    f"SELECT sotto.evaluate({self.model}, {oid})", "ann", None, "COMMIT")
        self.assertEqual((said.strip(), problem), (figures, ""))

    def test_a_schema_renamed_meanwhile_brings_no_view_of_anothers_to_a_superuser(self):
        self.sql("CREATE SCHEMA one AUTHORIZATION ann; CREATE SCHEMA two AUTHORIZATION ann; "
                 "CREATE TABLE one.t AS SELECT * FROM points LIMIT 10")
        self.sql(spy("drawn", "int8", "int8", "$1") + "CREATE TABLE two.base AS SELECT '{1,2}'::float8[] AS x, 1::int8 AS y;"
                 "CREATE VIEW two.t AS SELECT x, ann.drawn(y) AS y FROM two.base", user="ann")
        oid = self.sql("SELECT 'one.t'::regclass::oid")
        said, problem = self.during("SAVEPOINT a; DROP TABLE one.t", f"SELECT sotto.evaluate({self.model}, {oid})->>'rows'", "admin",
                                    "ALTER SCHEMA one RENAME TO was; ALTER SCHEMA two RENAME TO one", "ROLLBACK TO a; COMMIT")
        self.assertEqual((said.strip(), problem), ("10", ""))
        self.assertEqual(self.looted(), [])


class Spending(Hostile):
    """Nobody else's code writes to a ledger in the middle of somebody's query, and no stranger is charged."""
    TRAIN = "PERFORM sotto.train('shop', method => 'bolt_on', epsilon => 0.3, lambda => 0.01, options => '{\"again\": true}')"

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(options=data.LABEL[:-1] + ', "analyst_share": 0.5}'), user="curator")
        cls.model = cls.server.sql(data.train(), user="analyst")

    def records(self):
        return self.sql("SELECT count(*) FROM sotto.ledger_record WHERE ledger = (SELECT ledger FROM sotto.dataset WHERE name = 'shop')")

    def function(self, name, body, volatile="VOLATILE"):
        """Of ann's. It swallows what it is told, to go on."""
        self.sql(f"CREATE FUNCTION ann.{name}(int4) RETURNS int4 LANGUAGE plpgsql {volatile} AS $$ BEGIN {body}; RETURN $1; "
                 "EXCEPTION WHEN OTHERS THEN RAISE WARNING 'stopped: %', SQLERRM; RETURN $1; END $$", user="ann")

    def test_a_view_cannot_train_or_grant_as_its_reader(self):
        self.offer("bait", f"{HOMES} AS home")
        before = self.records()
        for name, body in (("trains", self.TRAIN), ("grants", "PERFORM sotto.grant_share('shop', 'ann', 1)")):
            self.function(name, body)
            self.sql(f"CREATE VIEW ann.{name} AS SELECT ann.{name}(age) AS age, income, home, buys FROM ann.bait LIMIT 50;"
                     f"GRANT SELECT ON ann.{name} TO curator, analyst", user="ann")
            for user in ("analyst", "curator", "admin"):
                self.sql(f"SELECT sotto.evaluate({self.model}, 'ann.{name}')", user=user)
        self.sql(data.register("baited", "ann.grants"), user="curator")
        self.assertEqual(self.records(), before)

    def test_an_index_cannot_train_as_who_analyses_or_rebuilds_it(self):
        self.sql("CREATE TABLE ann.kept AS SELECT i AS a FROM generate_series(1, 3) i", user="ann")
        self.function("indexed", f"IF session_user <> 'ann' THEN {self.TRAIN}; END IF", "IMMUTABLE")
        self.sql("CREATE INDEX kept_a ON ann.kept (ann.indexed(a))", user="ann")
        before = self.records()
        for text in ("ANALYZE ann.kept", "REINDEX TABLE ann.kept", "VACUUM FULL ann.kept"):
            self.sql(text)
        self.assertEqual(self.records(), before)

    def test_a_stranger_is_not_charged_through_a_function_of_a_members(self):
        self.sql(f"CREATE FUNCTION ann.lend() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {self.TRAIN}; END $$", user="ann")
        before = self.records()
        self.refuse("SELECT ann.lend()", "is no member of sotto_analyst or sotto_curator", "Nothing was charged", user="stranger")
        self.assertEqual(self.records(), before)
        self.sql("SELECT ann.lend()", user="analyst")
        self.assertEqual(self.sql("SELECT charged_to FROM sotto.ledger_record WHERE kind = 'reserved' ORDER BY ledger, sequence DESC LIMIT 1"),
                         "analyst")


class Declarations(ServerCase):
    """What curators declare is shown to everyone and decides whose budget it is."""
    rows = 300
    ZERO = "\\u0000"

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(), user="curator")
        cls.server.sql(data.train(), user="analyst")

    def shown(self):
        return self.sql("SELECT columns->>'age', encoding->>'storage' FROM sotto.datasets; SELECT epsilon FROM sotto.budget; "
                        "SELECT method FROM sotto.models", user="analyst")

    def test_a_text_that_no_view_can_show_is_refused(self):
        self.sql("CREATE TABLE other AS SELECT * FROM customers WHERE id < 200; GRANT SELECT ON other TO curator")
        before = self.shown()
        budget = '{"budget_epsilon": 1, "budget_delta": 0}'
        options = '{"positive": ["yes"], "negative": ["no"]}'
        for features, given, paid in (('{"home": ["city", "fa%srm"]}' % self.ZERO, options, budget),
                                      ('{"age": [20, 80], "ho%sme": ["city"]}' % self.ZERO, options, budget),
                                      ('{"age": [20, 80]}', '{"positive": ["yes", "%s"], "negative": ["no"]}' % self.ZERO, budget),
                                      ('{"age": [20, 80]}', options, budget[:-1] + ', "unit": "one %s row"}' % self.ZERO)):
            with self.subTest(features=features, options=given, budget=paid):
                self.refuse(f"SELECT sotto_internal.register('other', 'other', 'buys', '{features}', '{given}', '{paid}', 'packed')",
                            "has a text with the character", user="curator")
        self.refuse(data.register("other", "other", features='{"home": ["city", "fa%srm"]}' % self.ZERO), "has a text with the character",
                    user="curator")
        self.assertEqual(self.shown(), before)

    def test_a_repeated_key_gives_the_same_rows_no_second_budget(self):
        ledgers = self.sql("SELECT count(*) FROM sotto.ledger_head")
        for twice in (', "age": [20, 80]}', ', "\\u0061ge": [20, 80]}', ', "home": ["city"], "home": ["city", "town", "farm"]}'):
            self.refuse(data.register("again", features=data.FEATURES[:-1] + twice), "has a key twice", user="curator")
        self.refuse(data.register("again", features='{"age": {"min": 20, "max": 80, "max": 90}}'), "has a key twice", user="curator")
        self.refuse("SELECT sotto_internal.register('again', 'customers', 'buys', '{\"age\": [20, 80]}', '{\"positive\": [\"yes\"], "
                    "\"positive\": [\"yes\"]}', '{}', 'packed')", "has a key twice", user="curator")
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.ledger_head"), ledgers)


class DefaultPrivileges(ServerCase):
    """What ALTER DEFAULT PRIVILEGES gives away for all that is made has no effect on what the extension makes."""
    ACLS = """SELECT 'schema', nspname, nspacl::text FROM pg_namespace WHERE nspname LIKE 'sotto%'
        UNION ALL SELECT 'table', relname, relacl::text FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'sotto%' AND relkind IN ('r', 'v', 'S')
        UNION ALL SELECT 'function', oid::regprocedure::text, proacl::text FROM pg_proc WHERE pronamespace IN ('sotto'::regnamespace,
          'sotto_internal'::regnamespace)
        ORDER BY 1, 2"""

    @classmethod
    def prepare(cls):
        cls.server.sql("CREATE DATABASE plain")
        cls.server.sql("CREATE EXTENSION sotto", database="plain")
        cls.server.sql("CREATE ROLE mal LOGIN")
        for whose in ("", "FOR ROLE sotto_owner"):
            for what in ("TABLES", "SEQUENCES", "FUNCTIONS", "SCHEMAS"):
                cls.server.sql(f"ALTER DEFAULT PRIVILEGES {whose} GRANT ALL ON {what} TO mal, sotto_analyst WITH GRANT OPTION;"
                               f"ALTER DEFAULT PRIVILEGES {whose} GRANT ALL ON {what} TO PUBLIC")
        cls.server.sql("ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM admin")
        super().prepare()

    def test_nobody_else_has_a_right_on_what_is_made(self):
        self.assertEqual(self.sql(self.ACLS), self.sql(self.ACLS, database="plain"))
        self.sql(data.register(), user="curator")
        self.sql(data.train(), user="analyst")
        self.sql("SELECT sotto.refresh('shop')", user="curator")
        self.assertEqual(self.sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'sotto_data'::regnamespace AND relkind = 'r'"), "1")
        for user in ("mal", "analyst"):
            seen = self.sql("SELECT string_agg(oid::regclass::text, ' ') FROM pg_class WHERE relnamespace IN ('sotto'::regnamespace, "
                            "'sotto_data'::regnamespace) AND relkind IN ('r', 'S') AND (CASE relkind WHEN 'S' THEN "
                            f"has_sequence_privilege('{user}', oid, 'USAGE, SELECT, UPDATE') ELSE has_table_privilege('{user}', oid, "
                            f"'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES') OR has_any_column_privilege('{user}', oid, "
                            "'SELECT, INSERT, UPDATE, REFERENCES') END)")
            self.assertEqual(seen, "")
        for table in ("sotto.ledger_record", "sotto.model", "sotto_data.block_1_2", "sotto.budget"):
            self.refuse(f"SELECT * FROM {table}", "permission denied", user="mal")
        self.refuse("SELECT sotto.plan('shop', epsilon => 1)", "permission denied", user="mal")
        self.refuse("CREATE TABLE sotto.mine ()", "permission denied", user="mal")


class OwnerBefore(ServerCase):
    @classmethod
    def prepare(cls):
        pass

    def test_a_role_of_the_owners_name_with_members_is_refused(self):
        self.sql("CREATE ROLE sotto_owner LOGIN; CREATE ROLE mal LOGIN")
        self.refuse("CREATE EXTENSION sotto", 'role "sotto_owner" was there before')
        self.sql("ALTER ROLE sotto_owner NOLOGIN; GRANT sotto_owner TO mal")
        self.refuse("CREATE EXTENSION sotto", 'role "sotto_owner" was there before')
        self.sql("REVOKE sotto_owner FROM mal; CREATE EXTENSION sotto; CREATE DATABASE other")
        self.sql("CREATE EXTENSION sotto", database="other")


class OthersBefore(ServerCase):
    @classmethod
    def prepare(cls):
        pass

    def test_roles_of_curators_and_analysts_that_were_there_are_looked_at(self):
        self.sql("CREATE ROLE sotto_curator LOGIN; CREATE ROLE sotto_analyst")
        self.refuse("CREATE EXTENSION sotto", 'role "sotto_curator" was there before')
        self.sql("ALTER ROLE sotto_curator NOLOGIN; ALTER ROLE sotto_analyst CREATEROLE")
        self.refuse("CREATE EXTENSION sotto", 'role "sotto_analyst" was there before')
        self.sql("ALTER ROLE sotto_analyst NOCREATEROLE; CREATE ROLE mel LOGIN IN ROLE sotto_curator")
        said = self.server.start_sql("CREATE EXTENSION sotto").communicate(timeout=60)[1]
        self.assertIn('role "sotto_curator" was there before, and has members: mel', said)


class Names(ServerCase):
    """Names are any bytes in a database in SQL_ASCII, and roles are those of all databases."""

    @classmethod
    def prepare(cls):
        cls.server.sql("CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        cls.server.sql("CREATE EXTENSION sotto;" + data.CUSTOMERS.format(rows=300) + data.ROLES, database="bytes")
        cls.server.sql(data.register(), user="curator", database="bytes")
        cls.server.sql("DO $$ BEGIN EXECUTE format('CREATE ROLE %I LOGIN IN ROLE sotto_analyst, sotto_curator; GRANT SELECT ON customers TO %1$I', "
                       "'ann' || chr(255)); END $$", database="bytes")

    def test_names_that_are_no_text_are_refused_before_anything_is_charged(self):
        become = "DO $$ BEGIN EXECUTE format('SET SESSION AUTHORIZATION %I', 'ann' || chr(255)); END $$;"
        for call in (data.train(), "SELECT sotto.plan('shop', epsilon => 1)", data.register("other")):
            self.refuse(become + call, "the name of the user must be text in UTF-8", database="bytes")
        self.refuse("SELECT sotto.grant_share('shop', ('\"ann' || chr(255) || '\"')::regrole, 0.5)", "the name of the analyst must be text",
                    database="bytes")
        self.refuse(data.register().replace("'shop'", "'shop' || chr(255)"), "the name of a data set must be text in UTF-8", database="bytes")
        self.assertEqual(self.sql("SELECT charged FROM sotto.budget", database="bytes"), "0")
        self.sql(data.train(), user="analyst", database="bytes")
        self.sql("SELECT sotto.verify('shop')", user="curator", database="bytes")


if __name__ == "__main__":
    unittest.main()
