"""What an analyst with rights on nothing but the models tries."""
import json
import os
import re
import unittest

import data
from base import Failed, ServerCase


def spied_on(case):
    """How often an operator of the analyst's was run with rights that are not the caller's."""
    # It tells everything it is asked about; with it first in the path a naive query runs it as owner.
    case.sql("CREATE TABLE playground.seen (who text, what text); GRANT INSERT ON playground.seen TO PUBLIC", user="analyst")
    for left, right in (("int8", "int8"), ("int4", "int4"), ("text", "text")):
        case.sql(f"""CREATE FUNCTION playground.spy({left}, {right}) RETURNS bool LANGUAGE plpgsql AS
          $$BEGIN INSERT INTO playground.seen VALUES (current_user, $1::text || $2::text); RETURN true; END$$;
          CREATE OPERATOR playground.= (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = playground.spy)""", user="analyst")
    case.sql("""CREATE FUNCTION playground.jsonb_build_object(VARIADIC "any") RETURNS jsonb LANGUAGE internal
                AS 'jsonb_build_object'""")
    path = "SET search_path = playground, pg_catalog;"
    for user, text in (("analyst", data.again()), ("analyst", f"SELECT sotto.privacy_card({case.model})"),
                       ("analyst", f"SELECT sotto.predict({case.model}, '{{\"age\": 1, \"income\": 2, \"home\": \"x\"}}'::jsonb)"),
                       ("analyst", "SELECT sotto.plan('shop', epsilon => 1); SELECT * FROM sotto.budget"),
                       ("analyst", "SELECT sotto.tune('shop', '{\"lambda\": [0.01]}', tune_by => 'parts', epsilon => 1)"),
                       ("curator", "SELECT sotto.train_table('shop', epsilon => 1.5, lambda => 0.01)"),
                       ("curator", "SELECT sotto.verify('shop'); SELECT sotto.refresh('shop')")):
        case.attempt(path + text, user)
    return case.sql("SELECT count(*) FROM playground.seen WHERE who NOT IN ('analyst', 'curator')")


class Attacks(ServerCase):
    settings = {"log_statement": "'all'", "log_min_duration_statement": 0, "log_min_error_statement": "error"}

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=500), user="curator")
        cls.server.sql("CREATE SCHEMA playground; GRANT ALL ON SCHEMA playground TO analyst; GRANT USAGE ON SCHEMA playground TO PUBLIC;"
                       "GRANT CREATE, TEMP ON DATABASE postgres TO analyst")
        cls.model = cls.server.sql(data.train(), user="analyst")
        cls.blocks = cls.server.sql("SELECT oid::regclass FROM pg_class WHERE relname LIKE 'block\\_%'")

    def attempt(self, text, user):
        self.sql(text, user=user)

    def test_no_table_of_the_extension_can_be_read_or_written(self):
        for table in ("sotto.dataset", "sotto.shard", "sotto.ledger_head", "sotto.ledger_record", "sotto.model", "sotto_data." +
                      self.blocks.split(".")[-1], "customers"):
            for user in ("analyst", "stranger"):
                self.refuse(f"SELECT * FROM {table}", "permission denied", user=user)
                self.refuse(f"DELETE FROM {table}", "permission denied", user=user)
                self.refuse(f"COPY {table} TO STDOUT", "permission denied", user=user)
                self.refuse(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE", "permission denied", user=user)
        for view in ("sotto.budget", "sotto.models", "sotto.datasets"):
            self.refuse(f"DELETE FROM {view}", user="analyst")
            self.refuse(f"SELECT * FROM {view}", "permission denied", user="stranger")

    def test_nothing_of_the_owner_can_be_replaced_or_hooked(self):
        for text in ("CREATE TRIGGER t AFTER INSERT ON sotto.model EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                     "CREATE RULE r AS ON INSERT TO sotto.model DO ALSO NOTIFY x",
                     "CREATE OR REPLACE FUNCTION sotto.train(d text) RETURNS int8 LANGUAGE sql AS 'SELECT 1::int8'",
                     "CREATE OR REPLACE VIEW sotto.budget AS SELECT 1", "ALTER TABLE sotto.model DISABLE TRIGGER ALL",
                     "CREATE POLICY p ON sotto.model", "ALTER TABLE sotto.ledger_head ADD CHECK (true)",
                     "CREATE TABLE sotto.x (i int)", "CREATE TABLE sotto_data.x (i int)", "DROP EXTENSION sotto",
                     "CREATE STATISTICS playground.s ON block, rows FROM sotto_data." + self.blocks.split(".")[-1],
                     "CREATE INDEX ON sotto.model (id)", "SET ROLE sotto_owner", "SET SESSION AUTHORIZATION admin"):
            with self.subTest(text=text):
                self.refuse(text, user="analyst")

    def test_rights_of_curator_and_owner_are_not_an_analysts(self):
        self.refuse(data.register("mine"), "permission denied", user="analyst")
        for function in ("refresh", "unregister", "verify", "move_ledger"):
            self.refuse(f"SELECT sotto.{function}('shop')", "permission denied", user="analyst")
        self.refuse("SELECT sotto.move_ledger('shop')", "permission denied", user="curator")
        self.refuse(data.train(), "permission denied", user="stranger")
        self.refuse("SELECT sotto.tune('shop', '{\"lambda\": [0.1]}', epsilon => 1, delta => 1e-6)", "permission denied", user="stranger")
        self.refuse("CREATE FUNCTION playground.f(text, text) RETURNS int8 LANGUAGE c AS '$libdir/sotto', 'pg_sotto_train'",
                    user="analyst")

    def test_a_curator_registers_only_what_a_curator_may_read(self):
        self.sql("CREATE TABLE secret AS SELECT * FROM customers; REVOKE ALL ON secret FROM PUBLIC")
        self.refuse(data.register("secret", "secret"), "permission denied", user="curator")

    def test_evaluation_reads_with_the_rights_of_its_caller(self):
        self.refuse(f"SELECT sotto.evaluate({self.model}, 'customers')", "permission denied", user="analyst")
        self.refuse(f"SELECT sotto_internal.evaluate({self.model}, 'customers', 'buys', '{data.FEATURES}')", "permission denied",
                    user="analyst")

    def test_a_search_path_cannot_put_other_operators_or_functions_in(self):
        self.assertEqual(spied_on(self), "0")

    def test_where_anchors_are_is_told_to_superusers_alone(self):
        for user in ("analyst", "curator", "stranger"):
            self.refuse("LOAD 'sotto'; SHOW sotto.anchor_directory" if user == "stranger" else
                        "SELECT count(sotto.keyed(NULL)) WHERE false; SHOW sotto.anchor_directory", user=user)
            self.assertEqual(self.sql("SELECT count(*) FROM pg_settings WHERE name = 'sotto.anchor_directory'", user=user), "0")
        self.assertEqual(self.sql("SELECT sotto.model_text(1) <> ''; SHOW sotto.anchor_directory").splitlines()[-1], str(self.server.anchors))

    def test_temporary_tables_do_not_stand_in_for_the_ledgers(self):
        before = self.charged()
        self.sql("CREATE TEMP TABLE ledger_head (x int); CREATE TEMP TABLE ledger_record (x int);"
                 "CREATE TEMP TABLE model (x int); SET search_path = pg_temp, sotto, public;" + data.again(),
                 user="analyst")
        self.assertEqual(self.charged(), before + 1)

    def test_no_setting_of_a_session_reaches_the_ledger(self):
        before = self.charged()
        for setting in ("synchronous_commit = off", "session_replication_role = replica", "sotto.anchor_directory = '/tmp'",
                        "default_transaction_read_only = on", "row_security = off", "statement_timeout = '10min'",
                        "default_transaction_isolation = 'serializable'", "lc_numeric = 'C'", "extra_float_digits = -15",
                        "standard_conforming_strings = off", "quote_all_identifiers = on", "intervalstyle = 'iso_8601'"):
            try:
                self.sql(f"SET {setting};" + data.again(), user="analyst")
                before += 1
            except Failed as failed:
                self.assertRegex(str(failed), "permission denied|cannot be changed|invalid configuration parameter")
            self.assertEqual(self.charged(), before, setting)

    def test_explain_cursors_and_prepared_statements_pay_like_everyone(self):
        before = self.charged()
        call = data.again().rstrip(";")
        plan = self.sql(f"EXPLAIN (ANALYZE, VERBOSE, BUFFERS, SETTINGS) {call}", user="analyst")
        self.assertEqual(self.charged(), before + 1)
        self.assertNotIn("block_", plan)
        self.sql(f"EXPLAIN {call}", user="analyst")
        self.assertEqual(self.charged(), before + 1)
        self.sql(f"PREPARE p AS {call}; EXECUTE p; EXECUTE p", user="analyst")
        self.assertEqual(self.charged(), before + 3)
        self.sql(f"BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR {call}; FETCH c; FETCH BACKWARD c; FETCH c; ROLLBACK",
                 user="analyst")
        self.assertEqual(self.charged(), before + 4)
        self.sql(f"CREATE TEMP TABLE m AS {call}", user="analyst")
        self.sql(f"DO $$BEGIN PERFORM sotto.train('shop', epsilon => 1, lambda => 0.01, options => '{{\"again\": true}}');"
                 " RAISE EXCEPTION 'no'; EXCEPTION WHEN OTHERS THEN NULL; END$$", user="analyst")
        self.assertEqual(self.charged(), before + 6)

    def test_many_trainings_in_one_statement_are_each_charged(self):
        before = self.charged()
        self.sql("SELECT sotto.train('shop', epsilon => 0.5, lambda => 0.01, options => '{\"again\": true}') "
                 "FROM generate_series(1, 3)", user="analyst")
        self.assertEqual(self.charged(), before + 3)

    def test_errors_are_the_same_for_every_content(self):
        """Tables that differ in one row, one of them hostile: every answer but the noise is the same."""
        self.sql("""CREATE TABLE alike AS SELECT id, age::float8, income, home, buys FROM customers WHERE id <= 100;
                    CREATE TABLE hostile AS SELECT * FROM alike;
                    UPDATE hostile SET age = 'NaN', income = 'Infinity', buys = repeat('x', 100000), home = E'\\b' WHERE id = 50;
                    GRANT SELECT ON alike, hostile TO curator""")
        said = []
        for name in ("alike", "hostile"):
            self.sql(data.register(name, name, epsilon=1), user="curator")
            answers = [self.sql(f"SELECT sotto.plan('{name}', epsilon => 1, lambda => 0.01)", user="analyst")]
            self.sql(data.train(name, epsilon=1), user="analyst")
            answers.append(self.refuse(data.train(name, epsilon=0.5), user="analyst"))
            answers.append(self.sql("SELECT rows, features, classes, data_norm, columns, encoding FROM sotto.datasets WHERE "
                                    f"name = '{name}'", user="analyst"))
            answers.append(self.sql(f"SELECT epsilon, spent, remaining, charged, released FROM sotto.budget WHERE dataset = '{name}'",
                                    user="analyst"))
            said.append([a.replace(name, "T") for a in answers])
        self.assertEqual(said[0], said[1])

    def test_state_of_a_training_is_nowhere_to_be_seen(self):
        weights = self.sql(f"SELECT weights ->> 0 FROM sotto.models WHERE id = {self.model}")
        self.assertTrue(weights)
        log = self.server.log.read_text()
        self.assertIn("sotto.train", log)
        self.assertIsNone(re.search(r"weights|fingerprint|\bblock_\d", log.split("CREATE EXTENSION")[0] +
                                    "".join(line for line in log.splitlines() if "sotto.train" in line)))
        self.assertEqual(self.sql("SELECT count(*) FROM pg_stats WHERE schemaname IN ('sotto', 'sotto_data')", user="analyst"), "0")
        self.assertNotIn("fingerprint", self.sql(f"SELECT sotto.model_text({self.model})", user="analyst"))
        columns = self.sql("SELECT string_agg(attname, ',') FROM pg_attribute WHERE attrelid IN ('sotto.budget'::regclass, "
                           "'sotto.models'::regclass, 'sotto.datasets'::regclass)")
        self.assertNotIn("fingerprint", columns)
        self.assertNotIn("request", columns)

    def test_row_level_security_is_that_of_the_curator(self):
        self.sql("""CREATE TABLE walled AS SELECT * FROM customers; ALTER TABLE walled ENABLE ROW LEVEL SECURITY;
                    CREATE POLICY p ON walled TO curator USING (id <= 1000); GRANT SELECT ON walled TO curator, sotto_owner""")
        self.sql(data.register("walled", "walled"), user="curator")
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'walled'"), "1000")


class Squatters(ServerCase):
    """Whoever may create a schema makes ours before the extension is there."""

    @classmethod
    def prepare(cls):
        cls.server.sql("CREATE ROLE analyst LOGIN; GRANT CREATE ON DATABASE postgres TO analyst")

    def test_a_schema_that_was_there_is_not_moved_into(self):
        for schema in ("sotto_internal", "sotto_data"):
            self.sql(f"CREATE SCHEMA {schema}", user="analyst")
            self.refuse("CREATE EXTENSION sotto", f'schema "{schema}" already exists')
            self.sql(f"DROP SCHEMA {schema}", user="analyst")
        self.sql("CREATE SCHEMA sotto", user="analyst")
        self.refuse("CREATE EXTENSION sotto", "was there before")
        self.sql("ALTER SCHEMA sotto OWNER TO admin; GRANT CREATE ON SCHEMA sotto TO analyst")
        self.refuse("CREATE EXTENSION sotto", "was there before")  # more could be made in it meanwhile
        for made, gone in (("FUNCTION sotto.jsonb_build_object(text, json) RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb'",
                            "FUNCTION sotto.jsonb_build_object"), ("TABLE sotto.mine (i int)", "TABLE sotto.mine"),
                           ("OPERATOR sotto.|| (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = jsonb_concat)", "OPERATOR sotto.|| (jsonb, jsonb)")):
            self.sql(f"CREATE {made}", user="analyst")
            self.sql("REVOKE CREATE ON SCHEMA sotto FROM analyst")
            self.refuse("CREATE EXTENSION sotto", "was there before")
            self.sql(f"DROP {gone}; GRANT CREATE ON SCHEMA sotto TO analyst")
        self.sql("REVOKE CREATE ON SCHEMA sotto FROM analyst; CREATE EXTENSION sotto; SELECT count(*) FROM sotto.budget")


class ScanCounts(ServerCase):
    """What the server counts is open to everyone; how often a training reads its rows is secret."""
    rows = 12000

    @classmethod
    def prepare(cls):
        super().prepare()
        # Balanced rows have no gradient at 0, where a minimiser starts: it is done after one pass. Not so the others.
        cls.server.sql(f"""CREATE TABLE balanced AS SELECT c.id, age, income, home, l AS buys FROM customers c, unnest(ARRAY['yes', 'no']) l
                             WHERE c.id <= {cls.rows // 2};
                           GRANT SELECT ON balanced TO curator""")
        for name, source in (("shop", "customers"), ("even", "balanced")):
            cls.server.sql("SELECT pg_stat_force_next_flush();" + data.register(name, source, epsilon=50, delta=1e-5), user="curator")
        cls.blocks = int(cls.server.sql("SELECT pg_relation_size('sotto_data.block_1_1') / current_setting('block_size')::int"))

    def counted(self, number):
        return int(self.sql("SELECT heap_blks_read + heap_blks_hit FROM pg_statio_all_tables WHERE schemaname = 'sotto_data' AND "
                            f"relname = 'block_{number}_1'", user="analyst"))

    def explained(self, call):
        shown = self.sql(f"SELECT pg_stat_force_next_flush(); {call}; EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {call}", user="analyst")
        plan = json.loads(shown[shown.index("["):])[0]["Plan"]
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]

    def test_counters_do_not_tell_how_soon_a_minimiser_stopped(self):
        seen = []
        for number, name in ((1, "shop"), (2, "even")):
            before = self.counted(number)
            call = data.train(name, epsilon=1e-6, method="output", options='{"tolerance": 1, "again": true}').rstrip(";")
            explained = self.explained(call)
            self.assertEqual(self.counted(number) - before, 2 * self.blocks)
            seen.append(explained)
        self.assertGreater(self.blocks, 20)
        self.assertGreaterEqual(min(seen), self.blocks)
        self.assertLess(abs(seen[0] - seen[1]), self.blocks // 2)  # records of the ledger: less than one reading more

    def test_counters_do_not_tell_the_number_of_runs_of_a_tuning(self):
        before = self.counted(1)
        self.explained("""SELECT sotto.tune('shop', '{"lambda": [0.1, 0.01]}', epsilon => 1, delta => 1e-7, options =>
                          '{"mean_runs": 20, "again": true}')""")
        self.assertEqual(self.counted(1) - before, 2 * self.blocks)

    def test_a_tolerance_is_a_matter_of_accuracy(self):
        """One that the gradient at 0 keeps or not asks about the rows."""
        for method in ("output", "objective"):
            self.refuse(data.train("shop", epsilon=1, method=method, lam=0.1, options='{"tolerance": 5000}'), "tolerance", "at most",
                        user="analyst")


class ScanCountsOfAFile(ScanCounts):
    """The same where the rows do not fit the memory a training may take."""
    settings = {"sotto.rows_in_memory": 0}

    def test_the_same_model_quality_from_a_file(self):
        model = self.sql(data.train(), user="analyst")
        self.assertGreater(float(self.sql(f"SELECT avg((sotto.predict({model}, t) = buys)::int) FROM customers t WHERE id <= 1000")), 0.8)
        self.refuse("SET statement_timeout = '2s';" + data.train(options=data.SLOW), "57014", user="analyst")
        self.assertEqual(self.sql("SELECT count(*) FROM pg_ls_tmpdir()"), "0")


@unittest.skipUnless(os.environ.get("SOTTO_PG_MUTANT_LIBRARY"), "the mutant was not built")
class SearchPathMutant(ServerCase):
    library = os.environ.get("SOTTO_PG_MUTANT_LIBRARY")

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=500), user="curator")
        cls.server.sql("CREATE SCHEMA playground; GRANT ALL ON SCHEMA playground TO analyst; GRANT USAGE ON SCHEMA playground TO PUBLIC")
        cls.model = cls.server.sql(data.train(), user="analyst")

    def attempt(self, text, user):
        try:
            self.sql(text, user=user)
        except Failed:
            pass

    def test_without_the_guard_the_attack_succeeds(self):
        """So the test above can fail."""
        self.assertNotEqual(spied_on(self), "0")


if __name__ == "__main__":
    unittest.main()
