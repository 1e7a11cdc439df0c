"""The TABLESAMPLE method: every row once, in an order that a key decides."""
import unittest

import data
from base import ServerCase


class Keyed(ServerCase):
    rows = 5000

    @classmethod
    def prepare(cls):
        super().prepare()
        # Pages with holes and with rows of several widths.
        cls.server.sql("""CREATE TABLE wide AS SELECT i AS id, repeat('x', i % 300) AS filling FROM generate_series(1, 4000) i;
                          DELETE FROM wide WHERE id % 7 = 0; UPDATE wide SET filling = filling || 'y' WHERE id % 11 = 0""")

    def ids(self, table, key, part=0, parts=1):
        return self.sql(f"SELECT id FROM {table} TABLESAMPLE sotto.keyed({part}, {parts}) REPEATABLE ({key})").split()

    def test_every_row_comes_once(self):
        for table in ("customers", "wide"):
            stored = self.sql(f"SELECT id FROM {table}").split()
            keyed = self.ids(table, 7)
            self.assertEqual(sorted(keyed), sorted(stored))
            self.assertNotEqual(keyed, stored)

    def test_a_key_decides_the_order_and_nothing_else_does(self):
        first = self.ids("customers", 7)
        self.assertEqual(self.ids("customers", 7), first)
        self.assertNotEqual(self.ids("customers", 8), first)
        # Values have no say: other ones in the same places come in the same order.
        self.sql("CREATE TABLE other AS SELECT id, 99 - age AS age, income, home, buys FROM customers")
        self.assertEqual(self.ids("other", 7), first)

    def test_neighbours_on_disk_do_not_come_together(self):
        place = [int(each) for each in self.ids("customers", 7)]
        close = sum(abs(a - b) == 1 for a, b in zip(place, place[1:]))
        self.assertLess(close, len(place) // 20)

    def test_parts_are_disjoint_and_together_everything(self):
        for parts in (1, 3, 1000):
            together = [row for part in range(min(parts, 60)) for row in self.ids("customers", 5, part, parts)]
            if parts < 60:
                self.assertEqual(together, self.ids("customers", 5))
            self.assertEqual(len(set(together)), len(together))

    def test_parts_that_are_not_there_are_refused(self):
        for part, parts in ((1, 1), (-1, 2), (0, 0)):
            self.refuse(f"SELECT count(*) FROM customers TABLESAMPLE sotto.keyed({part}, {parts})", "2202H")
        self.refuse("SELECT count(*) FROM customers TABLESAMPLE sotto.keyed(NULL, 1)", "cannot be null")

    def test_a_scan_that_is_begun_again_sees_every_row_again(self):
        self.assertEqual(self.sql("""SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
          SELECT count(*) FROM generate_series(1, 3) g, LATERAL (SELECT g, id FROM wide TABLESAMPLE sotto.keyed(0, 1) REPEATABLE (3)) t"""),
                         self.sql("SELECT 3 * count(*) FROM wide"))

    def test_it_gives_no_rights(self):
        for table in ("customers", "sotto.dataset", "sotto.model"):
            self.refuse(f"SELECT * FROM {table} TABLESAMPLE sotto.keyed(0, 1)", "permission denied", user="analyst")

    def test_training_takes_rows_in_this_order_for_the_rows_they_are(self):
        self.sql(data.register(options=data.LABEL[:-1] + ', "layout": "unpacked"}'), user="curator")
        call = """SELECT sotto.train_cells('shop', '{"epsilon": 1, "lambda": 0.01}', sotto.cell(age), sotto.cell(income), sotto.cell(home),
                  sotto.cell(buys)) FROM customers TABLESAMPLE sotto.keyed(0, %d) REPEATABLE (42)"""
        self.assertEqual(self.sql(call % 1, user="curator"), "1")
        # A part of the rows is not the rows the ledger was made for: which shows after the charge.
        self.refuse(call.replace('"lambda"', '"again": true, "lambda"') % 2, "not the rows", user="curator")
        self.assertEqual(self.sql("SELECT charged, released FROM sotto.budget"), "2|1")


if __name__ == "__main__":
    unittest.main()
