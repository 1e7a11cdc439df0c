"""Registering, planning, training, predicting: what the functions mean."""
import json
import unittest

import data
from base import ServerCase


class Semantics(ServerCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(), user="curator")

    def test_a_plan_is_free_and_says_what_it_would_cost(self):
        plan = json.loads(self.sql("SELECT sotto.plan('shop', method => 'bolt_on', epsilon => 1, lambda => 0.01)", user="analyst"))
        self.assertEqual(plan["method"], "bolt_on")
        self.assertEqual(plan["facts"]["rows"], self.rows)
        self.assertTrue(plan["budget"]["fits"])
        self.assertEqual(plan["budget"]["cost"]["loss"][:1], "1")

    def test_without_a_method_it_is_auto_as_everywhere(self):
        self.sql("CREATE TABLE plain AS SELECT * FROM customers WHERE id <= 1500; GRANT SELECT ON plain TO curator, analyst")
        self.sql(data.register("plain", "plain", epsilon=20, delta=1e-5,
                               options=data.LABEL[:-1] + ', "layout": "packed"}'), user="curator")
        asked = "'plain', epsilon => 2, delta => 1e-7"
        plain, named = (json.loads(self.sql(f"SELECT sotto.plan({asked}{more})", user="analyst")) for more in ("", ", method => 'auto'"))
        self.assertEqual(plain, named)
        self.assertEqual(plain["method"], "auto")
        model = self.sql(f"SELECT sotto.train({asked})", user="analyst")
        self.assertEqual(self.sql(f"SELECT sotto.privacy_card({model}) ->> 'method'", user="analyst"), "auto")
        self.assertEqual(self.sql(f"SELECT sotto.train({asked}, method => 'auto')", user="analyst"), model)
        self.assertEqual(self.sql(f"SELECT sotto.train_table({asked})", user="curator"), model)
        self.assertEqual(self.sql("SELECT sotto.train_cells('plain', '{\"epsilon\": 2, \"delta\": 1e-7}', sotto.cell(age), sotto.cell(income), "
                                  "sotto.cell(home), sotto.cell(buys)) FROM plain", user="curator"), model)
        tuned = self.sql("SELECT sotto.tune('plain', '{\"loss\": [\"logistic\", \"huber_svm\"]}', tune_by => 'parts', epsilon => 2)",
                         user="analyst")
        self.assertIn("auto", self.sql(f"SELECT sotto.privacy_card({tuned})", user="analyst"))

    def test_a_number_beyond_a_double_makes_a_row_unusable(self):
        model = self.sql(data.train(), user="analyst")
        for row in ("""'{"age": 1e400, "income": 2, "home": "city"}'::jsonb""", "(SELECT t FROM (SELECT 1e400 AS age, 2 AS income, 'city' AS home) t)",
                    "(SELECT t FROM (SELECT 'NaN'::float8 AS age, 2 AS income, 'city' AS home) t)"):
            self.assertEqual(self.sql(f"SELECT sotto.predict({model}, {row}) IS NULL, sotto.predict_proba({model}, {row}) IS NULL",
                                      user="analyst"), "t|t")

    def test_training_charges_releases_and_predicts(self):
        before = self.spent()
        model = self.sql(data.train(epsilon=1.5), user="analyst")
        self.assertAlmostEqual(self.spent() - before, 1.5, places=6)
        card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})", user="analyst"))
        self.assertTrue(card["private"])
        self.assertEqual(card["guarantee"]["epsilon"], 1.5)
        self.assertTrue(card["budget"]["enforced"])
        right = self.sql(f"SELECT avg((sotto.predict({model}, t) = buys)::int) FROM customers t")
        self.assertGreater(float(right), 0.8)
        shown = json.loads(self.sql(f"SELECT sotto.evaluate({model}, 'customers')"))
        self.assertAlmostEqual(shown["accuracy"], float(right), places=6)
        self.assertFalse(shown["private"])
        chances = self.sql(f"SELECT sotto.predict_proba({model}, t) FROM customers t LIMIT 1").strip("{}").split(",")
        self.assertAlmostEqual(sum(map(float, chances)), 1)
        listed = self.sql(f"SELECT dataset, method, epsilon, private, analyst FROM sotto.models WHERE id = {model}")
        self.assertEqual(listed, "shop|bolt_on|1.5|t|analyst")

    def test_probabilities_follow_the_link_of_the_model(self):
        model = self.sql("SELECT sotto.train('shop', method => 'whitened_dpgd', epsilon => 1, delta => 1e-8, options => "
                         "'{\"clip\": 0.6}')", user="analyst")
        text = json.loads(self.sql(f"SELECT sotto.model_text({model})", user="analyst"))
        self.assertLess(text["link"]["scale"], 1)
        chance = f"(sotto.predict_proba({model}, t))[CASE WHEN buys = 'yes' THEN 2 ELSE 1 END]"
        log_loss = float(self.sql(f"SELECT avg(-ln({chance})) FROM customers t"))
        self.assertAlmostEqual(json.loads(self.sql(f"SELECT sotto.evaluate({model}, 'customers')"))["loss"], log_loss)

    def test_the_same_request_is_answered_from_the_store_free_of_charge(self):
        first = self.sql(data.train(epsilon=0.25), user="analyst")
        before = self.spent()
        self.assertEqual(self.sql(data.train(epsilon=0.25), user="rival"), first)
        self.assertEqual(self.spent(), before)
        other = self.sql(data.again(epsilon=0.25), user="analyst")
        self.assertNotEqual(other, first)
        self.assertGreater(self.spent(), before)

    def test_every_private_method_of_the_core_runs_by_its_name(self):
        self.sql("CREATE TABLE everyone AS SELECT * FROM customers WHERE id <= 2000; GRANT SELECT ON everyone TO curator")
        self.sql(data.register("methods", source="everyone", epsilon=1000, delta=1e-3,
                               options='{"positive": ["yes"], "negative": ["no"], "data_norm": 1.5, "filter": "sum"}'),
                 user="curator")
        for method, lam, delta in (("bolt_on", 0.01, 0), ("scs13", 0.01, 1e-6), ("objective", 0.1, 0), ("output", 0.1, 0),
                                   ("dpgd", 0.01, 1e-6), ("dpsgd", 0.01, 1e-6), ("dp_agd", 0.01, 1e-6)):
            with self.subTest(method=method):
                model = self.sql(f"SELECT sotto.train('methods', method => '{method}', epsilon => 2, delta => {delta}, "
                                 f"lambda => {lam})", user="analyst")
                card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})"))
                self.assertEqual(card["method"], method)
                self.assertTrue(card["private"])

    def test_tuning_is_one_entry_and_names_what_was_tried(self):
        self.sql("CREATE TABLE tuned AS SELECT * FROM customers WHERE id <= 2500; GRANT SELECT ON tuned TO curator")
        self.sql(data.register("tuned", "tuned", epsilon=20, delta=1e-5), user="curator")
        for by, delta, epsilon in (("random_stopping", 1e-6, 4), ("parts", 0, 3)):
            with self.subTest(by=by):
                before, charged = self.spent("tuned"), self.charged("tuned")
                call = (f"SELECT sotto.tune('tuned', '{{\"lambda\": [0.001, 0.1], \"passes\": 3}}', tune_by => '{by}', method => 'bolt_on', "
                        f"epsilon => {epsilon}, delta => {delta}, options => '{{\"mean_runs\": 3}}')")
                call = call if by == "random_stopping" else call.replace(", options => '{\"mean_runs\": 3}'", "")
                model = self.sql(call, user="analyst")
                self.assertEqual(self.charged("tuned"), charged + 1)
                self.assertGreater(self.spent("tuned") - before, 0.9 * epsilon)
                self.assertLessEqual(self.spent("tuned") - before, epsilon * 1.000001)
                card = json.loads(self.sql(f"SELECT sotto.privacy_card({model})", user="analyst"))
                self.assertTrue(card["private"])
                self.assertIn("lambda=0.1", json.dumps(card["remarks"]))
                self.assertEqual(self.sql(call, user="rival"), model)
                self.assertEqual(self.charged("tuned"), charged + 1)
        self.refuse("SELECT sotto.tune('tuned', '{\"lambda\": [0.1]}', method => 'bolt_on', epsilon => 19, delta => 1e-6)", "left", user="analyst")
        self.refuse("SELECT sotto.tune('tuned', '{\"colour\": [1]}', epsilon => 1, delta => 1e-6)", "colour", user="analyst")
        self.refuse("SELECT sotto.tune('tuned', '{}', epsilon => 1, delta => 1e-6)", "grid", user="analyst")
        self.refuse("SELECT sotto.tune('tuned', '{\"lambda\": [0.1]}', method => 'noiseless', epsilon => 1, delta => 1e-6)",
                    "private", user="analyst")

    def test_tuning_on_public_rows_costs_the_training_alone(self):
        self.sql("""CREATE TABLE found AS SELECT * FROM customers WHERE id <= 700; GRANT SELECT ON found TO curator;
                    CREATE TABLE open_rows AS SELECT * FROM customers WHERE id > 700; GRANT SELECT ON open_rows TO analyst""")
        self.sql(data.register("found", "found", epsilon=3), user="curator")
        call = ("SELECT sotto.tune('found', '{\"lambda\": [0.01, 0.1]}', tune_by => 'public', epsilon => 1, "
                "public_source => 'open_rows')")
        model = self.sql(call, user="analyst")
        self.assertAlmostEqual(self.spent("found"), 1, places=6)
        self.assertIn("public rows", self.sql(f"SELECT sotto.privacy_card({model}) ->> 'remarks'"))
        self.refuse(call.replace("'open_rows'", "'customers'"), "permission denied", user="analyst")
        self.refuse(call.replace("'open_rows'", "'found'"), "public_source")
        # A guess at all rows is told nothing: taken like any other table.
        self.sql("CREATE TABLE guess AS SELECT * FROM found; GRANT SELECT ON guess TO analyst")
        self.sql(call.replace("'open_rows'", "'guess'"), user="analyst")
        self.refuse(call.replace("'public'", "'parts'"), "tune_by", user="analyst")
        self.refuse(call.replace(", public_source => 'open_rows'", ""), "public_data", user="analyst")
        self.assertLessEqual(self.spent("found"), 2 + 1e-6)  # the guess may have chosen another setting

    def test_what_is_not_private_is_refused(self):
        self.refuse("SELECT sotto.train('shop', method => 'noiseless', epsilon => 1)", "private", user="analyst")
        self.refuse("SELECT sotto.train('shop', epsilon => 1, options => '{\"noise_seed\": 1}')", "noise_seed",
                    user="analyst")
        self.refuse("SELECT sotto.train('shop', epsilon => 1, options => '{\"passes\": \"many\"}')", "passes",
                    user="analyst")
        self.refuse("SELECT sotto.train('shop', epsilon => 1, options => '{\"no_such\": 1}')", "no_such", user="analyst")
        self.refuse("SELECT sotto.train('nothing', epsilon => 1)", "no data set", user="analyst")

    def test_bad_rows_become_legal_rows_and_nothing_tells(self):
        self.sql("""CREATE TABLE bad AS SELECT * FROM customers LIMIT 200;
                    ALTER TABLE bad ALTER income TYPE float8, ALTER age TYPE float8;
                    UPDATE bad SET age = NULL WHERE id % 7 = 0; UPDATE bad SET income = 'NaN' WHERE id % 7 = 1;
                    UPDATE bad SET income = 'Infinity' WHERE id % 7 = 2; UPDATE bad SET home = 'moon' WHERE id % 7 = 3;
                    UPDATE bad SET buys = 'perhaps' WHERE id % 7 = 4; UPDATE bad SET income = 1e300 WHERE id % 7 = 5;
                    UPDATE bad SET buys = NULL, home = NULL WHERE id % 14 = 6; GRANT SELECT ON bad TO curator""")
        self.sql(data.register("bad", "bad", options=data.UNCHECKED), user="curator")
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'bad'", user="analyst"), "200")
        self.sql(data.train("bad"), user="analyst")

    def test_arrays_are_taken_as_they_are(self):
        self.sql("""CREATE TABLE points AS SELECT CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END AS buys,
                      ARRAY[CASE WHEN i % 2 = 0 THEN 0.8 ELSE -0.8 END, (i % 10) / 10.0, NULL::float8]::float4[] AS x
                      FROM generate_series(1, 500) i;
                    UPDATE points SET x[3] = 0.5; INSERT INTO points VALUES ('yes', '{1}'), ('no', NULL), ('yes', '{1,2,3,4}'),
                      ('no', '{NULL,1,1}'), ('no', '{{1,2,3}}'); GRANT SELECT ON points TO curator""")
        self.sql(data.register("points", "points", features='{"x": {"size": 3, "min": -1, "max": 1}}'), user="curator")
        model = self.sql(data.train("points", epsilon=5), user="analyst")
        self.assertEqual(self.sql(f"SELECT sotto.predict({model}, ARRAY[0.8, 0.5, 0.5])", user="analyst"), "yes")
        self.assertEqual(self.sql(f"SELECT sotto.predict({model}, '{{-0.8,0.5,0.5}}'::float4[])", user="analyst"), "no")
        self.assertEqual(self.sql(f"SELECT sotto.predict({model}, ARRAY[NULL, 0.5, 0.5]) IS NULL", user="analyst"), "t")
        self.assertEqual(self.sql(f"SELECT sotto.predict_proba({model}, '{{0.1}}'::float8[]) IS NULL", user="analyst"), "t")
        shown = json.loads(self.sql(f"SELECT sotto.evaluate({model}, 'points')"))
        self.assertEqual((shown["rows"], shown["unusable"]), (500, 5))
        self.assertEqual(sum(shown["confusion"].values()), 500)
        self.assertGreater(shown["accuracy"], 0.95)
        self.refuse(f"CREATE TEMP TABLE unknown_rows AS SELECT * FROM points WHERE x IS NULL; SELECT sotto.evaluate({model}, 'unknown_rows')",
                    "no row can be used")

    def test_several_classes(self):
        self.sql("""CREATE TABLE homes AS SELECT home AS buys, (home = 'city')::int AS a, (home = 'town')::int AS b
                    FROM customers; GRANT SELECT ON homes TO curator""")
        self.sql(data.register("homes", "homes", features='{"a": [0, 1], "b": [0, 1]}',
                               options='{"classes": ["city", "town", "farm"], "intercept": 1, "data_norm": 2, "filter": "sum"}'),
                 user="curator")
        model = self.sql("SELECT sotto.train('homes', epsilon => 8, loss => 'softmax', lambda => 0.001)", user="analyst")
        self.assertEqual(self.sql(f"SELECT sotto.predict({model}, '{{\"a\": 0, \"b\": 1}}'::jsonb)"), "town")

    def test_a_refresh_reads_the_table_anew_and_keeps_what_was_spent(self):
        self.sql("CREATE TABLE growing AS SELECT * FROM customers WHERE id <= 500; GRANT SELECT ON growing TO curator")
        self.sql(data.register("growing", "growing"), user="curator")
        self.sql(data.train("growing", epsilon=4), user="analyst")
        self.sql("INSERT INTO growing SELECT * FROM customers WHERE id BETWEEN 501 AND 900")
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'growing'"), "500")
        self.sql("SELECT sotto.refresh('growing')", user="curator")
        self.assertEqual(self.sql("SELECT rows FROM sotto.datasets WHERE name = 'growing'"), "900")
        self.assertAlmostEqual(self.spent("growing"), 4, places=6)
        self.refuse(data.train("growing", epsilon=7), "left", user="analyst")
        # Other rows: the stored answer is not theirs.
        self.sql(data.train("growing", epsilon=4), user="analyst")
        self.assertAlmostEqual(self.spent("growing"), 8, places=6)
        self.sql("SELECT sotto.verify('growing')", user="curator")

    def test_rows_that_had_a_budget_keep_it_under_any_name(self):
        self.sql("CREATE TABLE once AS SELECT * FROM customers WHERE id <= 300; GRANT SELECT ON once TO curator")
        self.sql(data.register("once", "once"), user="curator")
        self.sql(data.train("once", epsilon=6), user="analyst")
        self.refuse(data.register("twice", "once"), "registered already", user="curator")
        self.sql("SELECT sotto.unregister('once')", user="curator")
        self.sql("CREATE TABLE copy AS SELECT * FROM once ORDER BY income; GRANT SELECT ON copy TO curator")
        self.refuse(data.register("twice", "copy", epsilon=99), "another budget", user="curator")
        self.sql(data.register("twice", "copy"), user="curator")
        self.assertAlmostEqual(self.spent("twice"), 6, places=6)

    def test_declarations_are_checked(self):
        self.refuse(data.register("x", features='{"age": null}', options='{"positive": ["yes"], "negative": ["no"]}'),
                    "bounds", user="curator")
        self.refuse(data.register("x", features='{"nobody": [0, 1]}'), "nobody", user="curator")
        self.refuse(data.register("x", features="{}"), "at least one", user="curator")
        self.sql("CREATE TABLE few AS SELECT * FROM customers WHERE id <= 50; GRANT SELECT ON few TO curator")
        self.refuse(data.register("x", "few", epsilon=0), "epsilon", user="curator")
        self.refuse(data.register("x", "few", options='{"positive": ["yes"], "filter": "luck", "check": false}'), "filter", user="curator")
        self.refuse(data.register("x", options='{"colour": 1}'), "colour", user="curator")
        self.refuse("CREATE TABLE none AS SELECT * FROM customers LIMIT 0;" + data.register("x", "none"), "no rows")


if __name__ == "__main__":
    unittest.main()
