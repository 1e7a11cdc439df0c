"""What is stored is what was released: signatures, edited totals, edited models."""
import json
import unittest

import data
from base import ServerCase


class Signatures(ServerCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(), user="curator")
        cls.server.sql(data.train(), user="analyst")

    def key(self):
        return self.sql("SELECT sotto.public_key('shop')", user="analyst")

    def verified(self, text, key=None):
        return self.sql(f"SELECT sotto.verify_model($text${text}$text$, $key${key or self.key()}$key$)", user="analyst")

    def model(self):
        with_end = self.sql("SELECT sotto.model_text(1) || '.'", user="analyst")
        return with_end[:-1]

    def test_a_model_is_verified_by_the_key_of_its_data_set(self):
        self.assertIn("BEGIN PUBLIC KEY", self.key())
        self.assertEqual(self.sql("SELECT sotto.verify_model(sotto.model_text(1), sotto.public_key('shop'))", user="analyst"), "t")
        self.assertEqual(self.verified(self.model()), "t")
        card = json.loads(self.sql("SELECT sotto.privacy_card(1)", user="analyst"))
        self.assertEqual(self.verified(self.model(), card["budget"]["signed_by"]), "t")

    def test_a_changed_one_is_not_nor_by_another_key(self):
        text = self.model()
        for place in range(0, len(text), max(1, len(text) // 25)):
            other = "x" if text[place] != "x" else "y"
            self.assertEqual(self.verified(text[:place] + other + text[place + 1:]), "f", place)
        self.assertEqual(self.verified(text + " "), "f")
        self.assertEqual(self.verified(text, "0" * 63 + "1"), "f")
        self.assertEqual(self.sql("SELECT sotto.verify_model((sotto.model_text(1)::jsonb)::text, sotto.public_key('shop'))"), "f")
        self.refuse("SELECT sotto.verify_model(sotto.model_text(1), 'no key')", "is no public key", user="analyst")

    def test_the_same_request_gives_the_same_bytes(self):
        self.assertEqual(self.sql(data.train(), user="analyst"), "1")

    def test_nobody_reads_the_private_key(self):
        for user in ("analyst", "curator"):
            self.refuse("SELECT detail FROM sotto.ledger_record", "permission denied", user=user)
        self.refuse("SELECT sotto.public_key('shop')", "permission denied", user="stranger")


class Edits(ServerCase):
    made = 0

    def trained(self):
        """The name, ledger and model of rows of their own."""
        type(self).made += 1
        name = f"edited{self.made}"
        self.sql(f"CREATE TABLE {name} AS SELECT * FROM customers WHERE id <= {200 + self.made};" + data.register(name, name))
        model = self.sql(data.train(name, epsilon=3))
        return name, self.sql(f"SELECT ledger FROM sotto.dataset WHERE name = '{name}'"), model

    def test_edited_totals_and_limits_are_noticed(self):
        for edit in ("spent_loss = 0, limit_loss = limit_loss * 1000, epsilon = 1e6", "spent_loss = 0",
                     "spent_delta = 0", "limit_loss = limit_loss + 1", "limit_delta = limit_delta + 1", "epsilon = 1e6",
                     "delta = 0.5", "filter = 'zcdp'", "relation = 'add_remove'", "sequence = 1", "hash = repeat('0', 64)",
                     "fingerprint = NULL", "sequence = sequence - 1", "sequence = sequence + 1"):
            name, ledger, _ = self.trained()
            shown = self.sql(f"SELECT epsilon, spent, \"limit\", remaining FROM sotto.budget WHERE dataset = '{name}'")
            self.sql(f"SELECT sotto.verify('{name}')")
            self.sql(f"UPDATE sotto.ledger_head SET {edit} WHERE ledger = {ledger}")
            with self.subTest(edit=edit):
                for call in (f"SELECT sotto.verify('{name}')", f"SELECT sotto.plan('{name}', epsilon => 1)",
                             data.train(name, epsilon=0.5), data.train(name, epsilon=3)):
                    self.refuse(call, "totals and limits are not those of its records")
                self.assertEqual(shown, self.sql("SELECT epsilon, spent, \"limit\", remaining FROM sotto.budget "
                                                 f"WHERE dataset = '{name}'"))

    def test_an_edited_model_is_served_by_nothing(self):
        for edit in ("body = replace(body, '\"epsilon\": 3.0', '\"epsilon\": 1e-9')", "body = '{}'", "body = body || ' '",
                     "body = 'no JSON'"):
            name, ledger, model = self.trained()
            self.assertEqual(self.sql(f"SELECT intact, private FROM sotto.models WHERE id = {model}"), "t|t")
            self.sql(f"UPDATE sotto.model SET {edit} WHERE id = {model}")
            with self.subTest(edit=edit):
                for call in (f"SELECT sotto.privacy_card({model})", f"SELECT sotto.model_text({model})",
                             f"SELECT sotto.predict({model}, c) FROM customers c LIMIT 1",
                             f"SELECT sotto.predict_proba({model}, c) FROM customers c LIMIT 1",
                             f"SELECT sotto.evaluate({model}, '{name}')"):
                    self.refuse(call, "it was edited")
                self.refuse(f"SELECT sotto.verify('{name}')")
                self.assertEqual(self.sql("SELECT intact, method, epsilon, private, weights FROM sotto.models "
                                          f"WHERE id = {model}"), "f||||")

    def test_a_model_that_was_never_released_is_served_by_nothing(self):
        name, ledger, model = self.trained()
        self.sql(f"INSERT INTO sotto.model (ledger, entry, dataset, asked, body) SELECT ledger, entry + 1000, dataset, asked, "
                 f"body FROM sotto.model WHERE id = {model}")
        forged = self.sql("SELECT max(id) FROM sotto.model")
        self.refuse(f"SELECT sotto.privacy_card({forged})", "it was edited")
        self.assertEqual(self.sql(f"SELECT intact FROM sotto.models WHERE id = {forged}"), "f")


if __name__ == "__main__":
    unittest.main()
