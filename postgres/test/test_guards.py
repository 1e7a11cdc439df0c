"""Settings, shapes, names of files and roles that must not decide about guarantees, rows or servers."""
import fcntl
import json
import re
import shutil
import unittest

import data
from base import ServerCase

NORM = data.LABEL.replace('"data_norm": 2', '"data_norm": 1.4')
FEWER_DIGITS = "SET extra_float_digits = -15;"
CELLS = "sotto.cell(age), sotto.cell(income), sotto.cell(home), sotto.cell(buys)"


class Shapes(ServerCase):
    def test_a_model_is_scored_on_rows_of_its_own_shape_only(self):
        self.sql("CREATE TABLE points AS SELECT ARRAY[age, income]::float8[] AS x, buys FROM customers; GRANT SELECT ON points TO curator")
        self.sql(data.register(), user="curator")
        self.sql(data.register("points", "points", features='{"x": {"size": 2, "min": 0, "max": 100}}'), user="curator")
        columns, array = (self.sql(data.train(name), user="analyst") for name in ("shop", "points"))
        for width in ("float8", "float4"):
            self.refuse(f"SELECT sotto.score_array({columns}, 'yes'::bytea, ARRAY[1.0]::{width}[])", "declared by columns",
                        user="analyst")
        self.refuse(f"SELECT sotto.score_cells({array}, 'yes'::bytea)", "declared as an array", user="analyst")
        self.sql(f"SELECT sotto.score_cells({columns}, {CELLS}) FROM customers; "
                 f"SELECT sotto.score_array({array}, sotto.cell(buys), x) FROM points")


class Memory(ServerCase):
    settings = {"sotto.rows_in_memory": "'1MB'"}

    def test_a_large_table_is_not_judged_in_memory(self):
        wide = "SELECT array_fill((i % 7) / 7.0::float8, ARRAY[1000]) AS x, CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END AS buys FROM generate_series"
        self.sql(f"CREATE TABLE wide AS {wide}(1, 200) i; CREATE VIEW large AS {wide}(1, 40000) i; GRANT SELECT ON wide, large TO curator")
        self.sql(data.register("wide", "wide", features='{"x": {"size": 1000, "min": 0, "max": 1}}', options=data.UNCHECKED), user="curator")
        model = self.sql(data.train("wide"), user="curator")
        self.sql(f"SELECT sotto.evaluate({model}, 'wide')", user="curator")
        self.refuse(f"SELECT sotto.evaluate({model}, 'large')", "more rows than sotto.rows_in_memory has room for", user="curator")
        self.sql(f"SELECT sotto.score_array({model}, sotto.cell(buys), x) FROM (SELECT * FROM large) e", user="curator")


class Settings(ServerCase):
    def noise(self, name, before=""):
        card = json.loads(self.sql(f"{before} SELECT sotto.plan('{name}', epsilon => 2, lambda => 0.01)", user="analyst"))
        return [card[key] for key in ("facts", "l2_sensitivity", "noise", "guarantee")]

    def test_a_setting_of_the_session_does_not_change_what_was_declared(self):
        self.sql(data.register(options=NORM), user="curator")
        usual = self.noise("shop")
        self.assertEqual(self.noise("shop", FEWER_DIGITS), usual)
        self.assertEqual((usual[0]["data_norm"], usual[-1]["epsilon"]), (1.4, 2))

    def test_a_backslash_is_one_whatever_the_session_says(self):
        self.sql("CREATE TABLE slashed AS SELECT * FROM customers WHERE id <= 700; ALTER TABLE slashed RENAME income TO \"in\\come'\";"
                 "GRANT SELECT ON slashed TO curator")
        before = "SET standard_conforming_strings = off; SET escape_string_warning = off; SET backslash_quote = on;"
        features = data.FEATURES.replace("income", "in\\\\\\\\come''")
        self.sql(before + data.register("sla\\\\sh", "slashed", features=features), user="curator")
        model = self.sql(before + data.train("sla\\\\sh"), user="analyst")
        self.sql(before + f"SELECT sotto.evaluate({model}, 'slashed'); SELECT sotto.refresh('sla\\\\sh')", user="curator")
        self.sql(before + "SELECT sotto.move_ledger('sla\\\\sh')")
        # The anchor is still named after the rows.
        for anchor in self.server.anchors.iterdir():
            self.assertRegex(anchor.name, "^[0-9a-f]{64}[.]anchor$")
        self.sql(before + "SELECT sotto.verify('sla\\\\sh')", user="curator")
        self.sql(data.train("sla\\sh", epsilon=0.5), user="analyst")

    def test_a_name_that_is_taken_is_said_to_be(self):
        self.sql("CREATE TABLE named AS SELECT * FROM customers WHERE id <= 600; GRANT SELECT ON named TO curator")
        self.sql(data.register("named", "named"), user="curator")
        self.refuse(data.register("named", "customers"), "42710", 'there is a data set "named" already', user="curator")

    def test_a_norm_other_than_the_declared_one_is_refused(self):
        self.sql("CREATE TABLE edited AS SELECT * FROM customers WHERE id <= 900; GRANT SELECT ON edited TO curator")
        self.sql(data.register("edited", "edited", options=NORM), user="curator")
        self.sql("UPDATE sotto.dataset SET data_norm = 1 WHERE name = 'edited'")
        for text in ("SELECT sotto.plan('edited', epsilon => 1)", data.train("edited")):
            self.refuse(text, "not the declared ones", user="analyst")
        self.refuse("SELECT sotto.train_table('edited', epsilon => 1)", "not the declared ones", user="curator")
        self.assertEqual(self.charged("edited"), 0)

    def test_a_budget_is_the_number_that_was_given(self):
        self.sql("CREATE TABLE granted AS SELECT * FROM customers WHERE id <= 800; GRANT SELECT ON granted TO curator")
        self.sql(FEWER_DIGITS + data.register("granted", "granted", epsilon=1.6), user="curator")
        self.assertEqual(self.sql("SELECT epsilon FROM sotto.budget WHERE dataset = 'granted'"), "1.6")


class Fingerprints(ServerCase):
    """An exact function of the rows: never for an analyst, and the same for the same rows."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=50), user="curator")
        cls.server.sql("CREATE TABLE two_days AS SELECT *, date '2020-01-02' + id % 2 AS day FROM customers WHERE id <= 700;"
                       "GRANT SELECT ON two_days TO curator")

    def anchor(self, name="shop"):
        fingerprint = self.sql(f"SELECT fingerprint FROM sotto.dataset WHERE name = '{name}'")
        return self.server.anchors / f"{fingerprint}.anchor"

    def test_no_trouble_with_an_anchor_tells_its_name(self):
        anchor = self.anchor()
        kept = anchor.with_suffix(".kept")
        asked = ("SELECT sotto.plan('shop', epsilon => 1)", data.train(), "SELECT sotto.tune('shop', '{\"lambda\": [0.01]}', epsilon => 1)")
        for trouble, words in ((lambda: None, "missing"), (lambda: anchor.write_text("x" * 400), "damaged"),
                               (lambda: anchor.mkdir(), "cannot be opened")):
            shutil.move(anchor, kept)
            trouble()
            self.server.own(self.server.anchors)
            try:
                for text in asked:
                    said = self.refuse(f"SET client_min_messages = debug5; {text}", "anchor", words, user="analyst")
                    self.assertIsNone(re.search("[0-9a-f]{64}", said), said)
                    self.assertNotIn(str(self.server.anchors), said)
            finally:
                if anchor.is_dir():
                    anchor.rmdir()
                anchor.unlink(missing_ok=True)
                shutil.move(kept, anchor)
        self.assertIn(str(anchor), self.server.log.read_text())
        self.sql(data.train(), user="analyst")

    def test_who_waits_for_an_anchor_can_be_cancelled(self):
        with open(self.anchor(), "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            for text in ("SELECT sotto.plan('shop', epsilon => 1)", data.again()):
                waiting = self.server.start_sql(f"SET statement_timeout = '500ms'; {text}", user="analyst")
                try:
                    said = waiting.communicate(timeout=60)[1]
                finally:
                    waiting.kill()
                self.assertIn("57014", said)
        self.sql(data.again(), user="analyst")

    def test_a_refresh_that_is_rolled_back_is_done_again_before_the_next_training(self):
        self.sql("CREATE TABLE undone AS SELECT * FROM customers WHERE id <= 550; GRANT SELECT ON undone TO curator")
        self.sql(data.register("undone", "undone"), user="curator")
        self.sql("DELETE FROM undone WHERE id = 7")
        self.sql("BEGIN; SELECT sotto.refresh('undone'); ROLLBACK", user="curator")
        self.refuse(data.train("undone"), "rows", user="analyst")
        self.assertEqual(self.charged("undone"), 0)
        self.sql("SELECT sotto.refresh('undone')", user="curator")
        self.sql(data.train("undone"), user="analyst")

    def test_the_order_of_a_declaration_makes_no_second_budget(self):
        turned = json.dumps(dict(reversed(list(json.loads(data.FEATURES).items()))))
        self.refuse(data.register("turned", features=turned), "registered already", user="curator")
        # Another label of the same cells.
        self.sql("CREATE TABLE pairs AS SELECT home AS a, buys AS b FROM customers WHERE id <= 600; GRANT SELECT ON pairs TO curator")
        self.sql("""SELECT sotto.register('ab', 'pairs', 'b', '{"a": ["city", "town", "farm"]}', epsilon => 1,
                    options => '{"positive": ["yes"], "negative": ["no"]}')""", user="curator")
        self.refuse("""SELECT sotto.register('ba', 'pairs', 'a', '{"b": ["yes", "no"]}', epsilon => 1,
                       options => '{"positive": ["city"], "negative": ["town", "farm"]}')""", "registered already", user="curator")

    def test_what_a_setting_spells_otherwise_is_refused_or_spelled_one_way(self):
        features = '{"age": [20, 80], "day": ["2020-01-02", "2020-01-03"]}'
        self.refuse(data.register("days", "two_days", features=features), "number of days since 1970-01-01", user="curator")
        self.sql("CREATE VIEW spelled AS SELECT age, day::text AS day, buys FROM two_days; GRANT SELECT ON spelled TO curator")
        self.sql(data.register("days", "spelled", features=features), user="curator")
        self.refuse("SET DateStyle = 'German';" + data.register("tage", "spelled", features=features), "registered already",
                    user="curator")
        before = self.anchor("days")
        self.sql("SET DateStyle = 'SQL, DMY'; SELECT sotto.refresh('days')", user="curator")
        self.assertEqual(self.anchor("days"), before)


class Curators(ServerCase):
    def test_a_data_set_is_refreshed_and_given_up_by_who_registered_it(self):
        self.sql("CREATE ROLE second LOGIN IN ROLE sotto_curator; CREATE ROLE deputy LOGIN IN ROLE curator;"
                 "GRANT SELECT ON customers TO second")
        self.sql(data.register(), user="curator")
        for text in ("SELECT sotto.refresh('shop')", "SELECT sotto.unregister('shop')"):
            self.refuse(text, "42501", "that registered it", user="second")
        for user in ("curator", "deputy", "admin"):
            self.sql("SELECT sotto.refresh('shop')", user=user)
        # Nobody knows any more who it was: then the owner of the table.
        self.sql("UPDATE sotto.dataset SET curator = NULL; CREATE ROLE holder LOGIN IN ROLE sotto_curator; ALTER TABLE customers OWNER TO holder")
        self.refuse("SELECT sotto.unregister('shop')", "registered it", user="curator")
        self.sql("SELECT sotto.refresh('shop'); SELECT sotto.unregister('shop')", user="holder")


if __name__ == "__main__":
    unittest.main()
