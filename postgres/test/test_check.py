"""What register and refresh tell the curator about the rows, before anything is stored; and that nobody else is told."""
import unittest

import data
from base import ServerCase

MADE = """
CREATE TABLE members AS SELECT i AS id, (20 + i % 60)::int AS age, i % 3 = 0 AS active, i % 2 = 0 AS buys,
  CASE WHEN i % 2 = 0 THEN 'yes' ELSE 'no' END AS told
FROM generate_series(1, 400) i;
GRANT SELECT ON members TO curator;
"""


def register(features, options, name="club", label="buys"):
    return f"SELECT sotto.register('{name}', 'members', '{label}', '{features}', epsilon => 2, delta => 1e-6, options => '{options}');"


AGE = '{"age": [20, 80]}'
TRUE = '"positive": ["true"], "negative": ["false"]'
GOOD = "{" + TRUE + "}"


class Checks(ServerCase):
    rows = 400

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(MADE)

    def said(self, text, user="curator"):
        """What is told beside the answer."""
        process = self.server.start_sql(text, user=user)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        return errors

    def stored(self):
        return self.sql("SELECT (SELECT count(*) FROM sotto.dataset) || ' ' || (SELECT count(*) FROM sotto.ledger_head) || ' ' || "
                        "(SELECT count(*) FROM pg_class WHERE relnamespace = 'sotto_data'::regnamespace AND relkind = 'r')")

    def test_labels_in_the_wrong_spelling_are_named_and_nothing_is_stored(self):
        before = self.stored()
        said = self.refuse(register(AGE, '{"positive": ["Yes"], "negative": ["No"]}', label="told"),
                           "column 'told' holds no label that is declared", "not for release", user="curator")
        self.assertIn("NOTICE", said)
        self.refuse(register(AGE, '{"positive": ["t"], "negative": ["f"]}'), '"f" is no value of its type', user="curator")
        self.refuse(register('{"age": [20, 80], "active": [0, 1]}', GOOD), "active: is no number", user="curator")
        self.assertEqual(self.stored(), before)

    def test_the_curator_is_told_and_whoever_wants_no_check_is_not(self):
        self.assertIn("200 of true, 0 not declared", self.said(register(AGE, GOOD, "told")))
        self.sql("SELECT sotto.unregister('told')", user="curator")
        self.sql("UPDATE members SET age = age + 1", user="admin")
        self.assertEqual(self.said(register(AGE, '{"check": false, "positive": ["Yes"], "negative": ["No"]}', "untold", "told")), "")
        self.assertEqual(self.said("SELECT sotto.refresh('untold')"), "", "the data set is remembered to have no check")
        self.assertEqual(self.said("SELECT sotto.train('untold', epsilon => 1, method => 'output', lambda => 0.1)", user="analyst"), "")

    def test_a_function_with_the_rights_of_a_curator_tells_an_analyst_nothing(self):
        """Two answers of the check give a row by difference."""
        self.sql("CREATE SCHEMA lent AUTHORIZATION curator; GRANT USAGE ON SCHEMA lent TO analyst")
        self.sql(register(AGE, GOOD, "lent") + "CREATE FUNCTION lent.anew() RETURNS void LANGUAGE sql SECURITY DEFINER AS "
                 "$$ SELECT sotto.refresh('lent') $$; GRANT EXECUTE ON FUNCTION lent.anew() TO analyst", user="curator")
        self.sql("UPDATE members SET age = 41 WHERE id = 1")
        self.assertIn("check of the rows", self.said("SELECT lent.anew()"))
        self.sql("UPDATE members SET age = 42 WHERE id = 1")
        self.assertNotIn("check of the rows", self.said("SELECT lent.anew()", user="analyst"))
        self.sql("SELECT sotto.unregister('lent')", user="curator")

    def test_no_count_of_rows_goes_to_the_log_of_the_server(self):
        said = self.refuse(register(AGE, '{"positive": ["yes"], "negative": ["never"]}', label="told"), "more than a tenth", user="curator")
        error = said[said.index("ERROR"):]
        self.assertNotIn("200", error)

    def test_a_refresh_that_would_ruin_the_rows_is_refused_and_the_former_stay(self):
        said = self.said(data.register("shop", epsilon=2))
        self.assertIn("not for release", said)
        self.assertIn("check of the rows", self.said("SELECT sotto.refresh('shop')"))
        self.sql("UPDATE customers SET buys = 'perhaps'", user="admin")
        self.refuse("SELECT sotto.refresh('shop')", "column 'buys' holds no label that is declared", user="curator")
        self.sql("UPDATE customers SET buys = CASE WHEN age > 50 THEN 'yes' ELSE 'no' END", user="admin")
        self.assertIn("check of the rows", self.said("SELECT sotto.refresh('shop')"))
        for ask in (data.train(), "SELECT sotto.plan('shop', epsilon => 0.1, lambda => 0.1)", "SELECT * FROM sotto.datasets"):
            self.assertNotIn("check of the rows", self.said(ask, user="analyst"))


if __name__ == "__main__":
    unittest.main()
