"""Rows on three servers, trained on where they are: the aggregate travels, no row does."""
import json
import time
import unittest

import data
from sharded import COLUMNS, FAILED, SHARDED, SLOW, ShardedCase


class Shards(ShardedCase):
    def test_shards_are_trained_on_and_averaged_under_one_budget(self):
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'spread'"), str(self.rows))
        before = self.spent("spread")
        plan = json.loads(self.sql("SELECT sotto.plan('spread', epsilon => 2, lambda => 0.01)", user="analyst"))
        self.assertEqual(plan["method"], "shard_average")
        model = self.train()
        self.assertAlmostEqual(self.spent("spread") - before, 2, places=6)
        card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})", user="analyst"))
        self.assertTrue(card["private"])
        self.assertIn("3.6", card["theorem"])
        right = self.sql(f"SELECT avg((sotto.predict({model}, t) = buys)::int) FROM customers t")
        self.assertGreater(float(right), 0.8)
        self.assertEqual(self.train(), model)  # stored
        for shard in self.shards:  # workers never spend
            self.assertEqual(shard.sql("SELECT count(*) FROM sotto.ledger_record"), "0")

    def test_the_plan_shows_that_no_row_is_shipped(self):
        cells = "sotto.cell(age), sotto.cell(income), sotto.cell(home), sotto.cell(buys)"
        plan = self.sql("SET enable_partitionwise_aggregate = on; SET enable_hashagg = off; SET enable_sort = off; EXPLAIN (VERBOSE, COSTS OFF) SELECT shard, "
                        f"sotto_internal.shard_cells('x', {cells}) FROM spread GROUP BY 1", user="curator")
        self.assertEqual(plan.count("Foreign Scan"), 3)
        self.assertEqual(plan.count("Relations: Aggregate on"), 3)
        self.assertNotIn("GroupAggregate", plan)
        self.assertNotIn("HashAggregate", plan)
        self.train(epsilon=0.5)
        for shard in self.shards:
            asked = [line for line in shard.log.read_text().splitlines() if "FROM public.customers" in line]
            self.assertTrue(asked)
            for line in asked:
                self.assertIn("sotto_internal.shard_cells", line)
                self.assertIn("GROUP BY", line)

    def test_what_would_ship_rows_is_refused_before_anything_is_charged(self):
        before = self.charged("spread")
        self.sql("ALTER SERVER shard1 OPTIONS (DROP extensions)")
        try:
            self.refuse("SELECT sotto.train('spread', epsilon => 1.25)", "shipped", user="analyst")
        finally:
            self.sql("ALTER SERVER shard1 OPTIONS (ADD extensions 'sotto')")
        self.assertEqual(self.charged("spread"), before)

    def test_only_the_method_with_a_proof_runs_on_shards(self):
        self.refuse("SELECT sotto.train('spread', method => 'bolt_on', epsilon => 1)", "shard_average", user="analyst")
        self.refuse("SELECT sotto.train('spread', epsilon => 1, options => '{\"order\": \"fresh\"}')", "order", user="analyst")
        self.refuse("SELECT sotto.tune('spread', '{\"lambda\": [0.1]}', epsilon => 1, delta => 1e-6)", "sharded", user="analyst")

    def test_a_shard_that_is_killed_in_the_middle_costs_and_releases_nothing(self):
        before, models = self.charged("spread"), self.sql("SELECT count(*) FROM sotto.models")
        slow = self.server.start_sql(f"SELECT sotto.train('spread', epsilon => 1, lambda => 0.01, options => '{SLOW}')", user="analyst")
        deadline = time.monotonic() + 60
        victim = self.shards[1]
        while time.monotonic() < deadline and victim.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'remote' AND "
                                                         "state = 'active'") == "0":
            time.sleep(0.1)
        self.assertEqual(self.charged("spread"), before + 1)  # before a row was read
        victim.kill()
        out, said = slow.communicate()
        self.assertNotEqual(slow.returncode, 0)
        self.assertNotIn("weights", said)
        self.assertEqual(out.strip(), "")
        self.assertEqual(self.charged("spread"), before + 1)
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.models"), models)
        victim.start()
        self.train(epsilon=1.5)
        self.sql("SELECT sotto.verify('spread')", user="curator")

    def test_cancelling_reaches_the_shards(self):
        slow = f"SELECT sotto.train('spread', epsilon => 1.1, lambda => 0.01, options => '{SLOW}')"
        self.refuse(f"SET statement_timeout = '3s'; {slow}", "57014", user="analyst")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and any(shard.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'remote' AND "
                                                            "state = 'active'") != "0" for shard in self.shards):
            time.sleep(0.2)
        for shard in self.shards:
            self.assertEqual(shard.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'remote' AND state = 'active'"), "0")

    def test_changed_rows_are_noticed_and_a_refresh_takes_them_up(self):
        shard = self.shards[2]
        row = "(90001, 30, 50, 'city', 'yes', 2)"
        shard.sql(f"INSERT INTO customers VALUES {row}")
        try:
            self.refuse("SELECT sotto.train('spread', epsilon => 1.75, lambda => 0.01)", FAILED, user="analyst")
            self.sql("SELECT sotto.refresh('spread')", user="curator")
            self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'spread'"), str(self.rows + 1))
            self.train(epsilon=1.8)
        finally:
            shard.sql("DELETE FROM customers WHERE id = 90001")
            self.sql("SELECT sotto.refresh('spread')", user="curator")

    def test_whatever_became_of_the_rows_the_analyst_is_told_the_same(self):
        changes = {"changed": ("UPDATE customers SET age = 21 WHERE id = 4", "UPDATE customers SET age = 20 + (4 * 7919) % 60 WHERE id = 4"),
                   "emptied": ("ALTER TABLE customers RENAME TO kept; CREATE TABLE customers (LIKE kept);"
                               "GRANT SELECT ON customers TO remote", "DROP TABLE customers; ALTER TABLE kept RENAME TO customers"),
                   "stray": ("UPDATE customers SET shard = 77 WHERE id = 4", "UPDATE customers SET shard = 1 WHERE id = 4"),
                   "gone": ("ALTER TABLE customers RENAME TO kept", "ALTER TABLE kept RENAME TO customers"),
                   # A value that makes the shard's own query fail, and a text of the row's in what it says.
                   "told": ("""ALTER TABLE customers RENAME TO kept; CREATE VIEW customers AS SELECT id, (age::text || 'secret'
                               )::int AS age, income, home, buys, shard FROM kept; GRANT SELECT ON customers TO remote""",
                            "DROP VIEW customers; ALTER TABLE kept RENAME TO customers"),
                   "dead": (None, None)}
        said = {}
        for name, (change, back) in changes.items():
            before = self.charged("spread")
            self.shards[1].sql(change) if change else self.shards[1].kill()
            try:
                said[name] = self.refuse("SET client_min_messages = log; SELECT sotto.train('spread', epsilon => 1.6, "
                                         "lambda => 0.01, options => '{\"again\": true}')", FAILED, "XX001", user="analyst")
            finally:
                self.shards[1].sql(back) if back else self.shards[1].start()
            self.assertEqual(self.charged("spread"), before + 1, name)
            self.assertNotIn("CONTEXT", said[name])
        self.assertEqual(len(set(said.values())), 1, said)
        log = self.server.log.read_text()
        for word in ("other rows than the ledger", "not every shard answered, or one twice", "not registered", "secret"):
            self.assertIn(word, log)

    def test_the_same_rows_have_one_budget_however_they_are_laid_out(self):
        self.refuse(data.register("heap", "customers", epsilon=7), "registered already", user="curator")
        self.refuse(data.register("again", "spread", epsilon=7), "registered already", user="curator")
        self.sql("ALTER TABLE spread0 RENAME TO zspread")
        try:
            self.refuse(data.register("again", "spread", epsilon=7, options=SHARDED), "registered already", user="curator")
        finally:
            self.sql("ALTER TABLE zspread RENAME TO spread0")

    def test_rows_of_shards_are_not_shipped_to_an_aggregate(self):
        lines = [len(shard.log.read_text().splitlines()) for shard in self.shards]
        self.refuse("SELECT sotto.train_table('spread', epsilon => 1, lambda => 0.01)", "not shipped", user="curator")
        self.assertEqual([len(shard.log.read_text().splitlines()) for shard in self.shards], lines)
        self.refuse("SELECT sotto.train_cells('spread', '{\"epsilon\": 1}', sotto.cell(age), sotto.cell(income), sotto.cell(home), "
                    "sotto.cell(buys)) FROM customers", "not shipped", user="curator")

    def test_settings_of_a_session_do_not_change_the_question(self):
        self.sql("SET standard_conforming_strings = off; SET escape_string_warning = off; SET backslash_quote = on;"
                 "SELECT sotto.train('spread', epsilon => 1.95, lambda => 0.01)", user="analyst")

    def test_a_setting_does_not_make_the_noise_smaller_than_the_rows(self):
        """Shards clip to the declared norm: noise for a rounded one would be too little."""
        for shard in self.shards:
            shard.sql("CREATE VIEW short AS SELECT * FROM customers WHERE id <= 900; GRANT SELECT ON short TO remote")
        self.sql(f"CREATE TABLE short ({COLUMNS}, shard int) PARTITION BY LIST (shard); GRANT SELECT ON short TO curator")
        for number in range(3):
            self.sql(f"CREATE FOREIGN TABLE short{number} PARTITION OF short FOR VALUES IN ({number}) SERVER shard{number} "
                     "OPTIONS (table_name 'short')")
        self.sql(data.register("short", "short", epsilon=100, options=SHARDED.replace('"data_norm": 2', '"data_norm": 1.4')),
                 user="curator")
        asked = "'short', epsilon => 3, lambda => 0.01"
        usual = json.loads(self.sql(f"SELECT sotto.plan({asked})", user="analyst"))
        self.assertEqual(json.loads(self.sql(f"SET extra_float_digits = -15; SELECT sotto.plan({asked})", user="analyst")), usual)
        model = self.sql(f"SET extra_float_digits = -15; SELECT sotto.train({asked})", user="analyst")
        card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})", user="analyst"))
        self.assertEqual([card[key] for key in ("facts", "l2_sensitivity", "noise")], [usual[key] for key in ("facts", "l2_sensitivity", "noise")])

    def test_what_a_shard_answers_is_sealed(self):
        # The curator's own call gets bytes: never the same, and never a weight in the clear.
        logged = self.shards[0].log.read_text()
        self.assertNotIn("weights", logged)
        call = [line for line in logged.splitlines() if "shard_cells" in line and "FROM public.customers" in line][-1]
        sealed = call[call.index("'\\\\x") if "'\\\\x" in call else call.index("'\\x"):].split("'")[1].replace("\\\\", "\\")
        query = (f"SELECT encode(sotto_internal.shard_cells('{sealed}'::bytea, sotto.cell(age), sotto.cell(income), sotto.cell(home), "
                 "sotto.cell(buys)), 'hex') FROM customers")
        first, second = (self.shards[0].sql(query, user="remote") for _ in range(2))
        self.assertEqual(len(first), len(second))
        self.assertFalse(set(first[i:i + 16] for i in range(0, len(first), 16)) & set(second[i:i + 16] for i in range(0, len(second), 16)))
        self.assertIn("permission denied", self.shards[0].refusal(query, user="spy"))

    def test_the_shard_of_a_row_must_not_be_a_value(self):
        self.refuse(data.register("bad", "spread", features='{"age": [20, 80], "shard": [0, 2]}', options=SHARDED), "must not",
                    user="curator")
        self.refuse(data.register("bad", "customers", options=SHARDED), "partitioned by a list", user="curator")

    def test_a_search_path_decides_neither_column_nor_shard(self):
        self.sql("CREATE SCHEMA playground; GRANT ALL ON SCHEMA playground TO analyst; GRANT USAGE ON SCHEMA playground TO PUBLIC")
        self.sql("CREATE TABLE playground.seen (who text); GRANT INSERT ON playground.seen TO PUBLIC", user="analyst")
        for type_ in ("oid", "int4", "int2", "text"):
            self.sql(f"""CREATE FUNCTION playground.spy({type_}, {type_}) RETURNS bool LANGUAGE plpgsql AS
              $$BEGIN INSERT INTO playground.seen VALUES (current_user); RETURN true; END$$;
              CREATE OPERATOR playground.= (LEFTARG = {type_}, RIGHTARG = {type_}, FUNCTION = playground.spy)""", user="analyst")
        self.sql("SET search_path = playground, pg_catalog; SELECT sotto.train('spread', epsilon => 1.9, lambda => 0.01);"
                 "SELECT sotto.plan('spread', epsilon => 1)", user="analyst")
        self.assertEqual(self.sql("SELECT count(*) FROM playground.seen"), "0")

    def test_without_the_key_nothing_is_asked(self):
        path = self.server.anchors / "cluster.key"
        path.rename(path.with_suffix(".gone"))
        try:
            before = self.charged("spread")
            self.refuse("SELECT sotto.train('spread', epsilon => 1.3)", "key of the shards", user="analyst")
            path.write_text("0" * 64)
            path.chmod(0o644)
            self.server.own(self.server.anchors)
            self.refuse("SELECT sotto.train('spread', epsilon => 1.3)", "mode 600", user="analyst")
            self.assertEqual(self.charged("spread"), before)
            path.chmod(0o600)
            self.refuse("SELECT sotto.train('spread', epsilon => 1.3, lambda => 0.01)", FAILED, user="analyst")
            self.assertEqual(self.charged("spread"), before + 1)
        finally:
            path.with_suffix(".gone").rename(path)


if __name__ == "__main__":
    unittest.main()
