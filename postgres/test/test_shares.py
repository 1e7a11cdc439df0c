"""Shares of a budget: who is charged, which limit was hit, and what does not get around it."""
import unittest

import data
from base import ServerCase

QUARTER = data.LABEL.replace('"filter"', '"analyst_share": 0.25, "filter"')


class Shares(ServerCase):
    """A budget of 8, of which everyone may spend a quarter."""
    made = 0

    def setUp(self):
        type(self).made += 1
        self.name = f"shared{self.made}"
        self.sql(f"CREATE TABLE {self.name} AS SELECT * FROM customers WHERE id <= {300 + self.made};"
                 f"GRANT SELECT ON {self.name} TO curator;")
        self.sql(data.register(self.name, self.name, epsilon=8, options=QUARTER), user="curator")

    def train(self, epsilon, user="analyst", before=""):
        return self.sql(before + data.again(name=self.name, epsilon=epsilon), user=user)

    def refuse_training(self, epsilon, *words, user="analyst", before=""):
        spent = self.spent(self.name)
        said = self.refuse(before + data.again(name=self.name, epsilon=epsilon), "53400", *words, user=user)
        self.assertEqual(self.spent(self.name), spent)
        return said

    def own(self, user):
        return self.sql(f"SELECT share, own_spent, own_remaining FROM sotto.budget WHERE dataset = '{self.name}'", user=user)

    def test_each_analyst_has_their_own(self):
        self.train(1.5)
        self.refuse_training(1, "analyst analyst may spend 25 percent", "has spent 18.75 percent", "6.5")
        self.train(1.5, user="rival")
        self.assertTrue(self.own("analyst").startswith("0.250000|1.5"), self.own("analyst"))
        self.assertTrue(self.own("rival").startswith("0.250000|1.5"), self.own("rival"))
        self.assertAlmostEqual(self.spent(self.name), 3, places=5)
        self.train(1.5, user="curator")
        self.refuse_training(1, "analyst curator may spend 2", user="curator")
        self.sql(f"SELECT sotto.verify('{self.name}')", user="curator")

    def test_a_plan_says_what_is_left_to_who_asks(self):
        self.train(1.5)
        budget = f"SELECT sotto.plan('{self.name}', 'bolt_on', epsilon => {{}}, lambda => 0.01) #> '{{{{budget,{{}}}}}}'"
        self.assertEqual(self.sql(budget.format(1, "fits"), user="analyst"), "false")
        self.assertEqual(self.sql(budget.format(1, "fits"), user="rival"), "true")
        self.assertEqual(self.sql(budget.format(1, "own_share,share"), user="analyst"), "0.25")

    def test_the_curator_grants_more_or_less_and_nobody_else_does(self):
        grant = f"SELECT sotto.grant_share('{self.name}', '{{}}', {{}})"
        for user in ("analyst", "rival", "stranger"):
            self.refuse(grant.format("analyst", 1), "permission denied", user=user)
        self.sql("CREATE ROLE curator2 LOGIN IN ROLE sotto_curator")
        self.addCleanup(self.sql, "DROP ROLE curator2")
        self.refuse(grant.format("analyst", 1), "permission denied for data set", user="curator2")
        self.train(2 - 1e-6)
        self.sql(grant.format("analyst", 0.5), user="curator")
        self.train(1.5)
        self.sql(grant.format("analyst", 0), user="curator")
        self.refuse_training(0.1, "may spend 0 ")
        self.train(1, user="rival")
        for bad in (-0.1, 1.5, "'NaN'"):
            self.refuse(grant.format("analyst", bad), "must lie between 0 and 1", user="curator")
        self.refuse(grant.format("nosuch", 0.5), "does not exist", user="curator")
        self.sql(f"SELECT sotto.verify('{self.name}')", user="curator")

    def test_the_budget_is_the_limit_of_all_shares(self):
        for user in ("analyst", "rival"):
            self.sql(f"SELECT sotto.grant_share('{self.name}', '{user}', 0.9)", user="curator")
        self.train(7)
        said = self.refuse_training(2, "left", user="rival")
        self.assertNotIn("may spend", said)
        self.assertTrue(self.own("rival").startswith("0.900000|0.0"), self.own("rival"))
        self.assertLess(float(self.own("rival").split("|")[2]), 1.001)

    def test_other_roles_and_rights_do_not_lend_their_share(self):
        self.train(1.9)
        self.sql("GRANT rival TO analyst; GRANT curator TO analyst; GRANT CREATE ON SCHEMA public TO rival")
        self.addCleanup(self.sql, "REVOKE rival FROM analyst; REVOKE curator FROM analyst")
        self.refuse_training(1, "analyst analyst may spend", before="SET ROLE rival;")
        self.refuse_training(1, "analyst analyst may spend", before="SET ROLE curator;")
        self.refuse("SET SESSION AUTHORIZATION rival;" + data.again(name=self.name), "permission denied", user="analyst")
        call = data.again(name=self.name, epsilon=1)
        self.sql(f"CREATE FUNCTION public.lend() RETURNS int8 LANGUAGE sql SECURITY DEFINER AS $f$ {call} $f$", user="rival")
        self.addCleanup(self.sql, "DROP FUNCTION public.lend()")
        self.refuse("SELECT public.lend()", "analyst analyst may spend", user="analyst")
        self.sql("SELECT public.lend()", user="rival")
        self.sql(f"CREATE FUNCTION public.lend2() RETURNS int8 LANGUAGE plpgsql AS $f$ BEGIN SET LOCAL ROLE rival; RETURN ({call.rstrip(';')}); END $f$",
                 user="rival")
        self.addCleanup(self.sql, "DROP FUNCTION public.lend2()")
        self.refuse("SELECT public.lend2()", "analyst analyst may spend", user="analyst")
        self.assertEqual(self.sql(f"SELECT string_agg(DISTINCT charged_to, ',') FROM sotto.ledger_record r JOIN sotto.dataset d "
                                  f"USING (ledger) WHERE d.name = '{self.name}' AND kind = 'reserved'"), "analyst,rival")

    def test_at_once_a_share_is_spent_exactly(self):
        callers = [self.server.start_sql(data.again(name=self.name, epsilon=0.4), user=user)
                   for _ in range(8) for user in ("analyst", "rival")]
        said = [caller.communicate()[1] for caller in callers]
        granted = sum(caller.returncode == 0 for caller in callers)
        for caller, text in zip(callers, said):
            self.assertTrue(caller.returncode == 0 or "may spend" in text, text)
        # What was refused is asked again, one by one: then exactly five of each fit.
        for user in ("analyst", "rival"):
            while True:
                try:
                    self.train(0.4, user=user)
                    granted += 1
                except Exception as failed:  # noqa: BLE001
                    self.assertIn("may spend", str(failed))
                    break
        self.assertEqual(granted, 10)
        self.sql(f"SELECT sotto.verify('{self.name}')", user="curator")

    def test_edited_shares_and_analysts_are_noticed(self):
        ledger = self.sql(f"SELECT ledger FROM sotto.dataset WHERE name = '{self.name}'")
        self.train(1)
        self.sql(f"SELECT sotto.grant_share('{self.name}', 'analyst', 0.3)", user="curator")
        for edit in ("charged_to = 'rival' WHERE kind = 'reserved'", "charged_to = NULL WHERE kind = 'reserved'",
                     "detail = replace(detail, '300000', '900000') WHERE kind = 'granted'",
                     "detail = replace(detail, '250000', '1000000') WHERE kind = 'opened'"):
            self.sql(f"CREATE TABLE kept AS SELECT * FROM sotto.ledger_record WHERE ledger = {ledger};"
                     f"UPDATE sotto.ledger_record SET {edit} AND ledger = {ledger};")
            with self.subTest(edit=edit):
                self.refuse(data.again(name=self.name, epsilon=0.1), "damaged or was edited", user="analyst")
                self.refuse(f"SELECT sotto.verify('{self.name}')", "damaged or was edited")
            self.sql(f"UPDATE sotto.ledger_record r SET charged_to = k.charged_to, detail = k.detail FROM kept k "
                     f"WHERE k.ledger = r.ledger AND k.sequence = r.sequence; DROP TABLE kept")
        self.train(0.1)

    def test_a_tiny_request_costs_the_smallest_price(self):
        self.assertEqual(float(self.sql(f"SELECT smallest_price FROM sotto.budget WHERE dataset = '{self.name}'")), 0.0008)
        self.train(1e-9)
        self.assertAlmostEqual(self.spent(self.name), 0.0008, places=9)

    def test_a_share_is_no_part_of_the_schema_and_must_be_one(self):
        bad = data.LABEL.replace('"filter"', '"analyst_share": 2, "filter"')
        self.sql("CREATE TABLE odd AS SELECT * FROM customers WHERE id <= 250")
        self.refuse(data.register("odd", "odd", options=bad), "analyst_share", "between 0 and 1")


if __name__ == "__main__":
    unittest.main()
