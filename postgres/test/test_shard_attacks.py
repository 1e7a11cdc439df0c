"""Shards that die, that are asked by many at once, and that answer what they were not asked."""
import os
import random
import time
import unittest

from sharded import FAILED, ShardedCase

AGAIN = "SELECT sotto.train('spread', epsilon => 0.5, lambda => 0.01, options => '{\"again\": true, \"passes\": 2}');\n"


class Crashes(ShardedCase):
    budget = 400

    def test_random_kills_refund_nothing_and_hand_out_nothing_twice(self):
        """acknowledged releases <= recorded releases <= charges, whichever server dies and whenever."""
        draw = random.Random(11)
        acknowledged = 0
        for i in range(int(os.environ.get("SOTTO_PG_KILLS", "6"))):
            running = [self.server.start_sql("\\set ON_ERROR_STOP off\n" + AGAIN * 12, user=user) for user in ("analyst", "rival")]
            time.sleep(0.2 + draw.random())
            # The server that holds the ledger every third time, or one of the shards.
            victim = self.server if i % 3 == 2 else self.shards[draw.randrange(3)]
            victim.kill()
            if victim is not self.server:
                time.sleep(draw.random() / 2)
                victim.start()
            for process in running:
                acknowledged += len(process.communicate()[0].split())
            if victim is self.server:
                victim.start()
            charged, released = self.charged("spread"), int(self.sql("SELECT released FROM sotto.budget WHERE dataset = 'spread'"))
            self.assertLessEqual(acknowledged, released)
            self.assertLessEqual(released, charged)
            self.assertAlmostEqual(self.spent("spread"), 0.5 * charged, places=6)
            self.sql("SELECT sotto.verify('spread')", user="curator")
        self.assertGreater(acknowledged, 0)
        self.train(epsilon=0.25)  # nothing is stuck
        for shard in self.shards:
            self.assertEqual(shard.sql("SELECT count(*) FROM sotto.ledger_record"), "0")


class Rivals(ShardedCase):
    budget = 5

    def test_analysts_at_once_spend_exactly_the_budget(self):
        running = [self.server.start_sql("\\set ON_ERROR_STOP off\n" + AGAIN * 4, user=user) for user in ("analyst", "rival") * 2]
        granted = 0
        for process in running:
            out, said = process.communicate()
            granted += len(out.split())
            for line in said.splitlines():
                if "ERROR" in line:
                    self.assertIn("left", line)
        self.assertEqual(granted, 10)
        self.assertAlmostEqual(self.spent("spread"), 5, places=6)
        self.assertEqual(self.charged("spread"), 10)
        self.sql("SELECT sotto.verify('spread')", user="curator")


class Forgeries(ShardedCase):
    """The superuser of a shard puts a function of his own where the answer comes from. He has no key of the cluster."""

    CELLS = "sotto.cell(age), sotto.cell(income), sotto.cell(home), sotto.cell(buys)"

    def forge(self, shard, body):
        """From now on the shard answers with the bytes of `body`, a query; the honest function is `honest`."""
        shard.sql(f"""
          ALTER EXTENSION sotto DROP AGGREGATE sotto_internal.shard_cells(bytea, VARIADIC bytea[]);
          ALTER AGGREGATE sotto_internal.shard_cells(bytea, VARIADIC bytea[]) RENAME TO honest_cells;
          CREATE TABLE IF NOT EXISTS kept (task bytea, answer bytea);
          GRANT ALL ON kept TO remote;
          CREATE FUNCTION sotto.forged_step(bytea, bytea, VARIADIC bytea[]) RETURNS bytea LANGUAGE sql AS 'SELECT $2';
          CREATE FUNCTION sotto.forged_end(bytea) RETURNS bytea LANGUAGE plpgsql AS $$ BEGIN {body} END $$;
          CREATE AGGREGATE sotto_internal.shard_cells(bytea, VARIADIC bytea[]) (SFUNC = sotto.forged_step, STYPE = bytea,
            FINALFUNC = sotto.forged_end);""")

    def honest(self, shard):
        shard.sql("""
          DROP AGGREGATE sotto_internal.shard_cells(bytea, VARIADIC bytea[]);
          DROP FUNCTION sotto.forged_step, sotto.forged_end;
          ALTER AGGREGATE sotto_internal.honest_cells(bytea, VARIADIC bytea[]) RENAME TO shard_cells;
          ALTER EXTENSION sotto ADD AGGREGATE sotto_internal.shard_cells(bytea, VARIADIC bytea[]);""")

    def test_no_forged_answer_is_released(self):
        """Each is charged, released to nobody, and told in the same words."""
        shard, other = self.shards[1], self.shards[2]
        honest = f"(SELECT sotto_internal.honest_cells($1, {self.CELLS}) FROM public.customers)"
        forgeries = {
            "nothing": "RETURN '';",
            "no answer": "RETURN NULL;",
            "zeros": "RETURN decode(repeat('00', 200), 'hex');",
            "noise": "RETURN (SELECT decode(string_agg(md5(i::text), ''), 'hex') FROM generate_series(1, 12) i);",
            "one bit": f"DECLARE a bytea := {honest}; BEGIN RETURN set_bit(a, 8 * length(a) - 3, 1 - get_bit(a, 8 * length(a) - 3)); END;",
            "cut": f"DECLARE a bytea := {honest}; BEGIN RETURN substr(a, 1, length(a) - 8); END;",
            "longer": f"RETURN {honest} || '\\x0000000000000000'::bytea;",
            "fewer rows": f"RETURN (SELECT sotto_internal.honest_cells($1, {self.CELLS}) FROM public.customers WHERE id > 9);",
            "of the run before": f"INSERT INTO public.kept VALUES ($1, {honest}); RETURN (SELECT answer FROM public.kept LIMIT 1);",
        }
        said, models = {}, self.sql("SELECT count(*) FROM sotto.models")
        for name, body in forgeries.items():
            with self.subTest(forged=name):
                self.forge(shard, body)
                try:
                    if name == "of the run before":  # the first answer is right, and is kept
                        self.train(epsilon=0.75, options='{"again": true}')
                        models = self.sql("SELECT count(*) FROM sotto.models")
                    before = self.charged("spread")
                    said[name] = self.refuse("SELECT sotto.train('spread', epsilon => 0.75, lambda => 0.01, options => "
                                             "'{\"again\": true}')", FAILED, user="analyst")
                    self.assertEqual(self.charged("spread"), before + 1)
                finally:
                    self.honest(shard)
        self.assertEqual(len(set(said.values())), 1, said)
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.models"), models)
        self.train(epsilon=0.8)
        self.sql("SELECT sotto.verify('spread')", user="curator")
        self.assertEqual(other.sql("SELECT count(*) FROM sotto.ledger_record"), "0")

    def test_one_shard_does_not_answer_for_another(self):
        """An honest shard's answer under another's number: two answers of one, or none of the other."""
        self.shards[1].sql("ALTER TABLE customers RENAME TO own; CREATE VIEW customers AS SELECT id, age, income, home, buys, 2 AS shard "
                           "FROM own; GRANT SELECT ON customers TO remote")
        try:
            before = self.charged("spread")
            self.refuse("SELECT sotto.train('spread', epsilon => 0.6, lambda => 0.01)", FAILED, user="analyst")
            self.assertEqual(self.charged("spread"), before + 1)
        finally:
            self.shards[1].sql("DROP VIEW customers; ALTER TABLE own RENAME TO customers")


if __name__ == "__main__":
    unittest.main()
