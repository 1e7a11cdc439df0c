"""Training as an aggregate over rows as a query brings them, and figures by parallel workers."""
import json
import unittest

import data
from base import ServerCase

CELLS = "sotto.cell(age), sotto.cell(income), sotto.cell(home), sotto.cell(buys)"
UNPACKED = data.LABEL.replace('"filter"', '"layout": "unpacked", "filter"')
ASKED = '{"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "again": true}'


class Aggregate(ServerCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=200), user="curator")
        cls.server.sql("CREATE TABLE loose AS SELECT * FROM customers WHERE id <= 2000; GRANT SELECT ON loose TO curator, rival")
        cls.server.sql(data.register("loose", "loose", epsilon=200, options=UNPACKED), user="curator")

    def train(self, source="loose", name="loose", asked=ASKED, **more):
        return self.sql(f"SELECT sotto.train_cells('{name}', '{asked}', {CELLS}) FROM {source}", **{"user": "curator", **more})

    def test_an_unprepared_table_is_trained_on_under_its_budget(self):
        before = self.spent("loose")
        model = self.train(asked=ASKED.replace('"epsilon": 1', '"epsilon": 8'))  # the noise must not decide
        self.assertAlmostEqual(self.spent("loose") - before, 8, places=6)
        card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})", user="analyst"))
        self.assertTrue(card["private"])
        self.assertTrue(card["budget"]["enforced"])
        right = self.sql(f"SELECT avg((sotto.predict({model}, t) = buys)::int) FROM loose t")
        self.assertGreater(float(right), 0.8)
        self.assertEqual(self.sql("SELECT count(*) FROM pg_class WHERE relname LIKE 'block\\_%'"), "1")  # shop's

    def test_the_same_rows_are_the_same_in_any_order_and_for_a_packed_data_set(self):
        for source in ("(SELECT * FROM loose ORDER BY income DESC) t", "(SELECT * FROM loose ORDER BY buys, id) t"):
            self.train(source)
        self.train("customers", name="shop")
        model = self.sql("SELECT sotto.train_table('shop', method => 'bolt_on', epsilon => 1, lambda => 0.01)", user="curator")
        self.assertEqual(self.sql(data.train(), user="analyst"), model)  # the one answer to one request

    def test_every_method_of_one_server_runs(self):
        for method in ("scs13", "dpgd", "shard_average", "output"):
            with self.subTest(method=method):
                asked = f'{{"method": "{method}", "epsilon": 2, "delta": 1e-7, "lambda": 0.1}}'
                self.assertGreater(int(self.train(asked=asked)), 0)

    def test_rows_beyond_the_registered_ones_take_no_memory(self):
        """They are other rows, and refused; the memory of the server does not grow with them."""
        self.sql("GRANT pg_read_server_files TO curator; GRANT EXECUTE ON FUNCTION pg_read_file(text) TO curator")
        before = self.counts()
        # The peak of this backend after a query of as many rows as were registered, and after one of 150 times as many.
        peak = "SELECT (regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), 'VmHWM:\\s+(\\d+)'))[1];\n"
        call = f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS}) FROM loose"
        script = f"\\set ON_ERROR_STOP off\n{call};\n{peak}{call}, generate_series(1, 150);\n{peak}"
        process = self.server.start_sql(script, user="curator")
        out, said = process.communicate()
        self.assertIn("not the rows the ledger was made for", said)
        small, large = (int(line) for line in out.split()[-2:])
        self.assertLess(large - small, 4096)
        self.assertEqual(self.counts(), (before[0] + 2, before[1] + 1))

    def counts(self):
        return tuple(map(int, self.sql("SELECT charged, released FROM sotto.budget WHERE dataset = 'loose'").split("|")))

    def test_the_charge_is_committed_before_the_first_row_is_looked_at(self):
        """A function among the arguments sees the ledger as others see it, before each row is handed over."""
        self.sql("""CREATE TABLE watched (id int, charged int); GRANT INSERT ON watched TO curator;
          CREATE FUNCTION watch(i int, value anyelement) RETURNS anyelement LANGUAGE plpgsql AS $$BEGIN
            INSERT INTO watched SELECT i, charged FROM sotto.budget WHERE dataset = 'loose'; RETURN value; END$$""")
        charged, released = self.counts()
        self.sql(f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS.replace('age', 'watch(id, age)')}) FROM loose", user="curator")
        seen = [int(each) for each in self.sql("SELECT charged FROM watched").split()]
        self.assertEqual(seen, [charged] + [charged + 1] * 1999)  # the executor brings the first row, we look at none
        self.assertEqual(self.counts(), (charged + 1, released + 1))

    def test_what_fails_after_the_first_row_stays_spent_and_releases_nothing(self):
        for failing in ("10 / (id - 5)", "pg_cancel_backend(CASE WHEN id = 5 THEN pg_backend_pid() END)::int + age"):
            charged, released = self.counts()
            self.refuse(f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS.replace('age', failing)}) FROM loose", user="curator")
            self.assertEqual(self.counts(), (charged + 1, released))
        self.refuse(f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS}) / 0 FROM loose", "division", user="curator")
        self.assertEqual(self.counts(), (charged + 2, released + 1))

    def test_what_is_refused_before_the_charge_is_the_same_for_every_content(self):
        """Tables that differ in one row, one of them hostile and one without rows to look at."""
        self.sql("""CREATE TABLE alike AS SELECT id, age::float8, income, home, buys FROM customers WHERE id <= 100;
                    CREATE TABLE hostile AS SELECT * FROM alike;
                    UPDATE hostile SET age = 'NaN', income = NULL, buys = repeat('x', 100000), home = E'\\b' WHERE id <= 2;
                    GRANT SELECT ON alike, hostile TO curator""")
        said = []
        for name in ("alike", "hostile"):
            self.sql(data.register(name, name, epsilon=1, options=UNPACKED), user="curator")
            asked = (('{"epsilon": 1.5}', CELLS, ""), ('{"colour": 1}', CELLS, ""), ('{"epsilon": 1}', "sotto.cell(age)", ""),
                     ('{"epsilon": 1}', CELLS, "GROUP BY buys"), ('{"epsilon": 1}', CELLS, "GROUP BY GROUPING SETS ((), (home))"),
                     ('{"method": "noiseless", "epsilon": 1}', CELLS, ""), ('{"epsilon": 1, "passes": "x"}', CELLS, ""))
            said.append([self.refuse(f"SELECT sotto.train_cells('{name}', '{request}', {cells}) FROM {name} {groups}",
                                     user="curator").replace(name, "T") for request, cells, groups in asked])
            self.assertEqual(self.charged(name), 0)
        self.assertEqual(said[0], said[1])
        self.assertIn("got 1 cells, must be 4", said[0][2])
        self.assertIn("not by groups", said[0][3])

    def test_a_request_that_was_answered_needs_no_row(self):
        asked = ASKED.replace(', "again": true', "").replace("0.01", "0.03")
        model = self.train(asked=asked)
        before = self.counts()
        self.assertEqual(self.train(asked=asked), model)
        self.assertEqual(self.train("(SELECT * FROM loose LIMIT 1) t", asked=asked), model)
        self.assertEqual(self.counts(), before)

    def test_other_rows_than_those_of_the_ledger_are_refused_and_charged(self):
        before = self.charged("loose")
        for source in ("(SELECT * FROM loose WHERE id > 1) t", "customers", "(SELECT * FROM loose UNION ALL SELECT * FROM loose) t",
                       "(SELECT id, age + 1 AS age, income, home, buys FROM loose) t"):
            with self.subTest(source=source):
                self.refuse(f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS}) FROM {source}", "not the rows", user="curator")
        self.assertEqual(self.charged("loose"), before + 4)
        self.refuse(f"SELECT sotto.train_cells('loose', '{ASKED}', {CELLS}) FROM loose WHERE false", "no rows", user="curator")
        self.refuse(f"SELECT sotto.train_cells('loose', '{ASKED}', sotto.cell(age)) FROM loose", "got 1 cells", user="curator")
        self.assertEqual(self.charged("loose"), before + 4)

    def test_a_request_is_judged_before_the_first_row(self):
        said = self.refuse(f"SELECT sotto.train_cells('loose', '{{\"method\": \"bolt_on\", \"epsilon\": 500, \"lambda\": 0.01}}', {CELLS}) FROM loose",
                           "left", user="curator")
        self.assertIn("53400", said)
        self.refuse(f"SELECT sotto.train_cells('loose', '{{\"colour\": 1}}', {CELLS}) FROM loose", "colour", user="curator")
        self.refuse(f"SELECT sotto.train_cells(NULL, '{ASKED}', {CELLS}) FROM loose", "must be given", user="curator")
        self.refuse("SELECT sotto.train_array('loose', '{\"epsilon\": 1}', 'x', ARRAY[1.0]::float8[])", "columns", user="curator")

    def test_a_table_without_a_copy_is_not_for_analysts(self):
        self.refuse(data.train("loose"), "no packed copy", user="analyst")
        self.refuse("SELECT sotto.plan('loose', epsilon => 1)", "no packed copy", user="analyst")

    def test_arrays_of_both_widths_have_the_fingerprint_of_the_registered_ones(self):
        self.sql("""CREATE TABLE wide AS SELECT CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END AS buys,
                      ARRAY[CASE WHEN i % 2 = 0 THEN 0.8 ELSE -0.8 END, (i % 10) / 10.0]::float4[] AS x FROM generate_series(1, 600) i;
                    INSERT INTO wide VALUES ('yes', '{1}'), ('no', NULL), (NULL, '{1,2,3}'), ('no', '{NULL,1}'), ('no', '{{1,2}}'),
                      ('no', '{NaN,1}'), ('yes', '{1,2,3,4,5}'); GRANT SELECT ON wide TO curator""")
        self.sql(data.register("wide", "wide", features='{"x": {"size": 2, "min": -1, "max": 1}}', options=UNPACKED), user="curator")
        for x in ("x", "x::float8[]"):
            asked = ASKED.replace('"epsilon": 1', '"epsilon": 4')  # the noise must not decide
            model = self.sql(f"SELECT sotto.train_array('wide', '{asked}', sotto.cell(buys), {x}) FROM wide", user="curator")
            self.assertEqual(self.sql(f"SELECT sotto.predict({model}, ARRAY[0.8, 0.5])", user="analyst"), "yes")
        self.sql("SELECT sotto.train_table('wide', epsilon => 1, lambda => 0.02)", user="curator")

    def test_cells_are_the_texts_of_a_cast_whatever_the_settings(self):
        values = ("1::int2", "(-7)::int8", "0.1::float4", "1e300::float8", "'NaN'::float8", "12.50::numeric", "'a '::char(5)",
                  "' b '::varchar", "'t'::bool", "'x'::text")
        for value in values:
            self.assertEqual(self.sql(f"SET extra_float_digits = -3; SELECT convert_from(sotto.cell({value}), 'UTF8')"),
                             self.sql(f"SET extra_float_digits = 1; SELECT {value}::text"), value)
        self.refuse("SELECT sotto.cell(interval '1 hour')", "must be cast")
        self.refuse("SELECT sotto.cell('1'::money)", "must be cast")

    def test_the_budget_is_spent_though_the_query_is_rolled_back_or_stopped(self):
        before = self.spent("loose")
        self.sql(f"BEGIN; SELECT sotto.train_cells('loose', '{ASKED}', {CELLS}) FROM loose; ROLLBACK", user="curator")
        self.assertAlmostEqual(self.spent("loose") - before, 1, places=6)
        slow = '{"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 300000, "batch_rows": 2000}'
        self.refuse(f"SET statement_timeout = '3s'; SELECT sotto.train_cells('loose', '{slow}', {CELLS}) FROM loose", "57014",
                    user="curator")
        self.assertAlmostEqual(self.spent("loose") - before, 2, places=6)


class AggregateAttacks(ServerCase):
    settings = {"log_statement": "'all'"}

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=100), user="curator")
        cls.server.sql("CREATE SCHEMA playground; GRANT ALL ON SCHEMA playground TO analyst;"
                       "CREATE TABLE playground.mine AS SELECT * FROM customers LIMIT 10; GRANT SELECT ON playground.mine TO analyst")

    def test_an_analyst_cannot_ask_whether_these_are_the_rows(self):
        """Who knows all rows but one could offer both candidates to the ledger and see which it takes."""
        for text in (f"SELECT sotto.train_cells('shop', '{ASKED}', {CELLS}) FROM playground.mine",
                     "SELECT sotto.train_table('shop', epsilon => 1)", "SELECT sotto_internal.train_table('shop', '{}')",
                     "SELECT sotto.train_array('shop', '{}', 'x', ARRAY[1.0]::float8[])",
                     "SELECT sotto.train_array('shop', '{}', 'x', ARRAY[1.0]::float4[])",
                     "SELECT sotto_internal.shard_cells('x', 'y')", "SELECT sotto_internal.shard_array('x', 'y', ARRAY[1.0]::float8[])",
                     "SELECT sotto_internal.register('a', 'playground.mine', 'buys', '{}', '{}', '{}', 'unpacked')"):
            with self.subTest(text=text):
                self.refuse(text, "permission denied", user="analyst")
                self.refuse(text, "permission denied", user="stranger")
        self.assertEqual(self.charged(), 0)

    def test_nor_can_another_curator(self):
        self.sql("CREATE ROLE second LOGIN IN ROLE sotto_curator; GRANT USAGE ON SCHEMA playground TO second;"
                 "CREATE TABLE playground.guess AS SELECT * FROM customers; GRANT SELECT ON playground.guess TO second, curator")
        before = self.charged()
        right = f"SELECT sotto.train_cells('shop', '{ASKED}', {CELLS}) FROM playground.guess"
        wrong = right + " WHERE id > 1"
        self.assertEqual(self.refuse(right, "permission denied", user="second"), self.refuse(wrong, "permission denied", user="second"))
        self.refuse("SELECT sotto.train_table('shop', epsilon => 1)", "permission denied", user="second")
        self.assertEqual(self.charged(), before)
        # Who may read those columns may know; not so where row security hides rows from them.
        self.sql("GRANT SELECT (age, income, home, buys) ON customers TO second")
        self.sql(right, user="second")
        self.assertEqual(self.charged(), before + 1)
        self.sql("ALTER TABLE customers ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON customers USING (id > 1)")
        self.refuse(right, "permission denied", user="second")
        self.sql("DROP POLICY p ON customers; ALTER TABLE customers DISABLE ROW LEVEL SECURITY")

    def test_states_cannot_be_had(self):
        for text in ("SELECT sotto_internal.train_final(NULL)", "SELECT sotto_internal.shard_final(NULL)",
                     "SELECT sotto_internal.collect_cells(NULL, 'shop', '{}', 'x')", "SELECT sotto_internal.score_serialize(NULL)"):
            self.refuse(text, user="analyst")
            self.refuse(text, user="curator")
        # An aggregate of one's own around our transition function, with a final function that tells.
        for user in ("analyst", "curator"):
            self.refuse("""CREATE AGGREGATE playground.spy(text, jsonb, VARIADIC bytea[]) (SFUNC = sotto_internal.collect_cells,
                           STYPE = internal)""", user=user)
            self.refuse("""CREATE FUNCTION playground.spy(internal) RETURNS bytea LANGUAGE c AS '$libdir/sotto',
                           'pg_sotto_score_serialize'""", user=user)
        # As a window function its final function would be called for every row.
        self.refuse(f"SELECT sotto.train_cells('shop', '{ASKED}', {CELLS}) OVER (ORDER BY id) FROM customers", "window",
                    user="curator")
        # Even a superuser's direct call is none of an aggregate.
        self.refuse("SELECT sotto_internal.train_final(NULL::internal)")

    def test_neither_plan_nor_log_has_a_state(self):
        call = f"SELECT sotto.train_cells('shop', '{ASKED}', {CELLS}) FROM customers"
        plan = self.sql(f"EXPLAIN (ANALYZE, VERBOSE, BUFFERS) {call}", user="curator")
        self.assertNotIn("weights", plan)
        self.assertIn("sotto.train_cells", plan)
        self.assertNotIn("Parallel", plan)
        self.sql("SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query'); "
                 "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
                 f"SET min_parallel_table_scan_size = 0; {call}", user="curator")
        self.assertNotIn("weights", self.server.log.read_text())

    def test_no_function_of_the_extension_is_open_to_the_public_and_none_is_a_definers(self):
        both = "pronamespace IN ('sotto'::regnamespace, 'sotto_internal'::regnamespace)"
        open_ones = self.sql("SELECT string_agg(p.oid::regprocedure::text, ' ') FROM pg_proc p WHERE "
                             f"{both} AND (prosecdef OR has_function_privilege('stranger', p.oid, 'EXECUTE'))")
        self.assertEqual(open_ones, "")
        analysts = self.sql("SELECT string_agg(DISTINCT p.oid::regproc::text, ' ' ORDER BY p.oid::regproc::text) FROM pg_proc p "
                            f"WHERE {both} AND has_function_privilege('analyst', p.oid, 'EXECUTE')").split()
        self.assertEqual(analysts, [
            *(f"sotto.{name}" for name in ("cell", "evaluate", "help", "keyed", "model_text", "plan", "predict", "predict_proba",
                                           "privacy_card", "public_key", "score_array", "score_cells", "train", "tune",
                                           "verify_model", "version")),
            *(f"sotto_internal.{name}" for name in ("budget_words", "catalogue", "coefficients", "evaluate", "plan", "train",
                                                    "tune"))])
        for user, may in (("stranger", "f"), ("analyst", "f"), ("curator", "t")):
            self.assertEqual(self.sql(f"SELECT has_schema_privilege('{user}', 'sotto_internal', 'USAGE')"), may)
            self.assertEqual(self.sql(f"SELECT has_schema_privilege('{user}', 'sotto_internal', 'CREATE')"), "f")
        self.refuse("SELECT sotto_internal.train('shop', '{}')", "permission denied for schema", user="analyst")
        tables = self.sql("SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace IN ('sotto'::regnamespace, "
                          "'sotto_data'::regnamespace) AND relkind IN ('r', 'S') AND has_table_privilege('analyst', oid, 'SELECT')")
        self.assertEqual(tables, "")


class Parallel(ServerCase):
    rows = 20000
    settings = {"max_parallel_workers": 8, "max_worker_processes": 16}

    def test_any_number_of_workers_gives_the_same_bits(self):
        self.sql("CREATE TABLE small AS SELECT * FROM customers WHERE id <= 1000; GRANT SELECT ON small TO curator;"
                 "ALTER TABLE customers SET (parallel_workers = 4)")
        self.sql(data.register("small", "small"), user="curator")
        model = self.sql(data.train("small"), user="analyst")
        call = f"SELECT sotto.score_cells({model}, {CELLS}) FROM customers"
        answers = set()
        for workers in (0, 1, 2, 4):
            plan_and_answer = self.sql(f"SET max_parallel_workers_per_gather = {workers}; SET parallel_setup_cost = 0; "
                                       f"SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; EXPLAIN {call}; {call}",
                                       user="curator")
            self.assertEqual("Gather" in plan_and_answer, workers > 0)
            answers.add(plan_and_answer.splitlines()[-1])
        self.assertEqual(len(answers), 1)
        shown = json.loads(answers.pop())
        whole = json.loads(self.sql(f"SELECT sotto.evaluate({model}, 'customers')"))
        self.assertEqual(shown["rows"], self.rows)
        self.assertEqual(shown["accuracy"], whole["accuracy"])
        self.assertAlmostEqual(shown["loss"], whole["loss"], places=8)
        self.refuse(call, "permission denied", user="analyst")
        other = self.sql(data.again(name="small"), user="analyst")
        for workers in (0, 4):  # whose first row decided otherwise
            self.refuse(f"SET max_parallel_workers_per_gather = {workers}; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET "
                        "min_parallel_table_scan_size = 0; " + call.replace(f"({model},", f"(CASE WHEN id = 15000 THEN {model} ELSE {other} END,"),
                        "by one model", user="curator")
        self.sql("INSERT INTO customers VALUES (0, NULL, 1, 'city', 'yes'), (0, 30, 1, 'city', 'perhaps')")
        left_out = json.loads(self.sql(call, user="curator"))
        self.assertEqual(left_out, {**shown, "unusable": 2})


if __name__ == "__main__":
    unittest.main()
