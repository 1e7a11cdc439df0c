"""Nothing refunds: rollback, settings, crashes, rivals, copies."""
import os
import random
import shutil
import time
import unittest

import data
from base import ServerCase, installation
from server import Server


class Transactions(ServerCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=20), user="curator")

    def test_rollback_and_savepoints_refund_nothing(self):
        before = self.spent()
        self.sql(f"BEGIN; {data.again()} ROLLBACK;", user="analyst")
        self.assertAlmostEqual(self.spent() - before, 1, places=6)
        self.sql(f"BEGIN; SAVEPOINT s; {data.again()} ROLLBACK TO s; COMMIT;", user="analyst")
        self.assertAlmostEqual(self.spent() - before, 2, places=6)
        self.sql(f"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; {data.again()} {data.again()} ROLLBACK", user="analyst")
        self.assertAlmostEqual(self.spent() - before, 4, places=6)
        self.refuse(f"BEGIN READ ONLY; {data.again()} SELECT 1/0;", "division", user="analyst")
        self.assertAlmostEqual(self.spent() - before, 5, places=6)

    def test_what_does_not_fit_is_refused_before_anything_is_charged(self):
        before = self.spent()
        said = self.refuse(data.train(epsilon=50), "53400", "left", user="analyst")
        self.assertIn("epsilon", said)
        self.assertEqual(self.spent(), before)

    def test_a_released_model_outlives_the_transaction_that_asked(self):
        self.sql(f"BEGIN; {data.train(epsilon=0.123)} ROLLBACK;", user="analyst")
        before = self.spent()
        self.sql(data.train(epsilon=0.123), user="analyst")
        self.assertEqual(self.spent(), before)

    def test_a_cancelled_training_stays_spent(self):
        before = self.spent()
        slow = data.train(epsilon=0.2, options=data.SLOW)
        self.refuse(f"SET statement_timeout = '1500ms'; {slow}", "57014", user="analyst")
        self.assertAlmostEqual(self.spent() - before, 0.2, places=6)
        entries = self.sql("SELECT charged - released FROM sotto.budget WHERE dataset = 'shop'")
        self.assertEqual(entries, "1")

    def test_edits_are_noticed(self):
        reserved = "WHERE ledger = {0} AND kind = 'reserved'"
        edits = ("UPDATE sotto.ledger_record SET cost_loss = 1 " + reserved,
                 "UPDATE sotto.ledger_record SET detail = 'less' " + reserved,
                 "DELETE FROM sotto.ledger_record WHERE ledger = {0} AND sequence > 1",
                 "UPDATE sotto.model SET body = replace(body, '0', '1') WHERE ledger = {0}",
                 "DELETE FROM sotto.model WHERE ledger = {0}")
        for i, edit in enumerate(edits):
            name = f"edited{i}"
            self.sql(f"CREATE TABLE {name} AS SELECT * FROM customers WHERE id <= {200 + i};" + data.register(name, name))
            self.sql(data.train(name, epsilon=3))
            self.sql(f"SELECT sotto.verify('{name}')")
            self.sql(edit.format(self.sql(f"SELECT ledger FROM sotto.dataset WHERE name = '{name}'")))
            with self.subTest(edit=edit):
                self.refuse(f"SELECT sotto.verify('{name}')")

    def test_totals_cannot_pass_the_limit(self):
        self.refuse("UPDATE sotto.ledger_head SET spent_loss = limit_loss + 1", "violates check constraint")


class NoWorkers(ServerCase):
    settings = {"max_worker_processes": 0}

    def test_without_a_free_worker_nothing_is_charged(self):
        self.refuse(data.register(), "no background worker", user="curator")
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.dataset"), "0")


class Rivals(ServerCase):
    def test_concurrent_analysts_spend_exactly_the_budget(self):
        self.sql(data.register(epsilon=10), user="curator")
        call = data.again(epsilon=0.5) * 8
        running = [self.server.start_sql(call.replace(";", ";\n"), user=user) for user in ("analyst", "rival") * 2]
        granted = 0
        for process in running:
            out, said = process.communicate()
            granted += len(out.split())
            if process.returncode:
                self.assertRegex(said, "left")
        self.assertEqual(granted, 20)
        self.assertAlmostEqual(self.spent(), 10, places=6)
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.models"), "20")
        self.sql("SELECT sotto.verify('shop')")


class Crashes(ServerCase):
    settings = {"synchronous_commit": "off", "wal_writer_delay": "'10s'"}

    def test_random_kills_refund_nothing(self):
        """acknowledged releases <= recorded spends <= budget, after every kind of death."""
        self.sql(data.register(epsilon=400), user="curator")
        draw = random.Random(7)
        acknowledged = 0
        rounds = int(os.environ.get("SOTTO_PG_KILLS", "6"))
        for i in range(rounds):
            running = [self.server.start_sql("\\set AUTOCOMMIT on\nSET synchronous_commit = off;\n" +
                                             (data.again(epsilon=0.5) + "\n") * 12, user=user)
                       for user in ("analyst", "rival")]
            time.sleep(0.3 + draw.random() * 2)
            if i % 2:
                self.server.kill()
            else:
                self.server.stop("immediate")
            for process in running:
                acknowledged += len(process.communicate()[0].split())
            self.server.start()
            charged = self.charged()
            self.assertLessEqual(acknowledged, charged)
            self.assertAlmostEqual(self.spent(), 0.5 * charged, places=6)
            self.assertLessEqual(self.spent(), 400)
            self.assertLessEqual(acknowledged, int(self.sql("SELECT released FROM sotto.budget WHERE dataset = 'shop'")))
            self.sql("SELECT sotto.verify('shop')")
        self.assertGreater(acknowledged, 0)

    def test_a_killed_backend_takes_the_charge_with_it(self):
        self.sql("CREATE TABLE other AS SELECT * FROM customers WHERE id < 2000")
        self.sql(data.register("other", "other"))
        slow = self.server.start_sql(data.train("other", epsilon=1, options=data.SLOW), user="analyst")
        deadline = time.monotonic() + 60
        while self.charged("other") == 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%300000%' AND usename = 'analyst'")
        slow.communicate()
        self.assertAlmostEqual(self.spent("other"), 1, places=6)


class Copies(ServerCase):
    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=10), user="curator")
        cls.server.sql(data.train(epsilon=2), user="analyst")

    def test_a_restored_dump_does_not_spend_until_it_is_declared_the_one(self):
        dump = self.server.home / "dump.sql"
        self.server.run(installation().bin / "pg_dump", "-h", "127.0.0.1", "-p", self.server.port, "-U", "admin", "-f", dump,
                        "postgres")
        self.sql("CREATE DATABASE restored")
        self.server.run(installation().bin / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", self.server.port, "-U", "admin", "-d",
                        "restored", "-f", dump)
        self.assertEqual(float(self.sql("SELECT spent FROM sotto.budget WHERE dataset = 'shop'", database="restored")), 2)
        self.refuse(data.again(), "copy", database="restored")
        # The same rows cannot get a fresh budget there either.
        self.sql("CREATE DATABASE fresh")
        self.sql("CREATE EXTENSION sotto;" + data.CUSTOMERS.format(rows=self.rows), database="fresh")
        self.refuse(data.register(epsilon=10), "granted once", database="fresh")
        self.sql(data.again(), user="analyst")
        # The original went on, so the dump is behind.
        self.refuse("SELECT sotto.move_ledger('shop')", "behind its anchor", database="restored")
        self.sql("DROP DATABASE restored WITH (FORCE); CREATE DATABASE restored TEMPLATE postgres")
        self.refuse(data.again(), "copy", database="restored")
        self.sql("SELECT sotto.move_ledger('shop')", database="restored")
        self.sql(data.again(), database="restored")
        self.refuse(data.again(), "anchor", user="analyst")

    def test_a_restored_data_directory_is_refused(self):
        self.sql("CREATE TABLE restored_rows AS SELECT * FROM customers WHERE id <= 100")
        self.sql(data.register("again", "restored_rows"))
        self.server.stop("fast")
        saved = self.server.home / "saved"
        shutil.copytree(self.server.data, saved, symlinks=True)
        self.server.start()
        self.sql(data.train("again", epsilon=3))
        self.server.stop("fast")
        shutil.rmtree(self.server.data)
        shutil.copytree(saved, self.server.data, symlinks=True)
        self.server.own(self.server.data)
        self.server.start()
        self.assertEqual(self.spent("again"), 0)
        self.refuse(data.train("again", epsilon=3), "behind its anchor")

    def test_refreshed_rows_and_those_before_get_no_second_budget_elsewhere(self):
        self.sql("CREATE TABLE moving AS SELECT * FROM customers WHERE id <= 170")
        self.sql(data.register("moving", "moving"))
        self.sql(data.train("moving", epsilon=3))
        former = self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'moving'")
        self.sql("INSERT INTO moving SELECT * FROM customers WHERE id BETWEEN 171 AND 180; SELECT sotto.refresh('moving')")
        latter = self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'moving'")
        self.assertNotEqual(former, latter)
        for fingerprint in (former, latter):
            self.assertTrue((self.server.anchors / f"{fingerprint}.anchor").exists())
        self.sql(data.train("moving", epsilon=3))
        self.sql("CREATE DATABASE elsewhere")
        self.sql("CREATE EXTENSION sotto;" + data.CUSTOMERS.format(rows=200), database="elsewhere")
        for rows in (170, 180):
            self.sql(f"CREATE TABLE t{rows} AS SELECT * FROM customers WHERE id <= {rows}", database="elsewhere")
            self.refuse(data.register(f"t{rows}", f"t{rows}"), "granted once", database="elsewhere")
        # Back to the rows of before: the same ledger goes on.
        self.sql("DELETE FROM moving WHERE id > 170; SELECT sotto.refresh('moving')")
        self.assertAlmostEqual(self.spent("moving"), 6, places=6)
        self.sql(data.train("moving", epsilon=1))

    def test_without_its_anchor_a_ledger_does_not_spend(self):
        self.sql("CREATE TABLE unanchored AS SELECT * FROM customers WHERE id <= 150")
        self.sql(data.register("unanchored", "unanchored"))
        fingerprint = self.sql("SELECT fingerprint FROM sotto.dataset WHERE name = 'unanchored'")
        anchor = self.server.anchors / f"{fingerprint}.anchor"
        anchor.rename(anchor.with_suffix(".gone"))
        self.refuse(data.train("unanchored"), "anchor is missing")
        anchor.with_suffix(".gone").rename(anchor)
        self.sql(data.train("unanchored"))


class Replicas(ServerCase):
    """Streaming replicas of a real server, promoted."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=10), user="curator")
        cls.server.sql(data.train(epsilon=2), user="analyst")

    def replica(self):
        """A standby that follows this server. The ledgers remember where their anchors are: the same files for both."""
        standby = Server(installation(), {}, os.environ.get("SOTTO_PG_PRELOAD"))
        self.addCleanup(standby.__exit__)
        standby.run(installation().bin / "pg_basebackup", "-h", "127.0.0.1", "-p", self.server.port, "-U", "admin", "-D", standby.data,
                    "-R", "-X", "stream", "--checkpoint=fast")
        standby.configure()
        standby.start()
        self.assertEqual(standby.sql("SELECT pg_is_in_recovery()"), "t")
        return standby

    def catch_up(self, standby):
        position = self.sql("SELECT pg_current_wal_flush_lsn()")
        deadline = time.monotonic() + 60
        while standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{position}'") != "t":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    @staticmethod
    def spent_on(server, name="shop"):
        return float(server.sql(f"SELECT spent FROM sotto.budget WHERE dataset = '{name}'"))

    def test_a_standby_spends_nothing_and_answers_from_what_was_released(self):
        standby = self.replica()
        self.catch_up(standby)
        before = self.spent()
        for text in (data.again(epsilon=0.5), "SELECT sotto.plan('shop', epsilon => 0.5)"):
            self.assertIn("standby", standby.refusal(text, user="analyst"))  # before it looks for an anchor
        self.assertEqual((self.spent(), self.spent_on(standby)), (before, before))
        row = '{"age": 70, "income": 90, "home": "city"}'
        self.assertIn(standby.sql(f"SELECT sotto.predict(1, '{row}'::jsonb)", user="analyst"), ("yes", "no"))

    def test_one_promoted_that_was_behind_is_refused(self):
        standby = self.replica()
        self.catch_up(standby)
        standby.stop("fast")
        before = self.spent()
        self.sql(data.again(epsilon=0.5), user="analyst")
        self.server.stop("immediate")
        try:
            standby.start()
            standby.sql("SELECT pg_promote(true, 60)")
            self.assertAlmostEqual(self.spent_on(standby), before, places=6)  # it does not know of the last one
            for _ in range(2):
                self.assertIn("behind its anchor", standby.refusal(data.again(epsilon=0.5), user="analyst"))
            self.assertIn("behind its anchor", standby.refusal("SELECT sotto.move_ledger('shop')"))
            self.assertIn("behind its anchor", standby.refusal("SELECT sotto.verify('shop')"))
            self.assertAlmostEqual(self.spent_on(standby), before, places=6)
        finally:
            self.server.start()
        self.assertAlmostEqual(self.spent(), before + 0.5, places=6)
        self.sql(data.again(epsilon=0.5), user="analyst")

    def test_one_promoted_in_step_goes_on_and_the_former_primary_is_refused(self):
        self.sql("CREATE TABLE kept AS SELECT * FROM customers WHERE id <= 160; GRANT SELECT ON kept TO curator")
        self.sql(data.register("kept", "kept", epsilon=3), user="curator")
        self.sql(data.again(name="kept"), user="analyst")
        standby = self.replica()
        self.catch_up(standby)
        standby.sql("SELECT pg_promote(true, 60)")
        standby.sql(data.again(name="kept"), user="analyst")
        self.assertAlmostEqual(self.spent_on(standby, "kept"), 2, places=6)
        # Both are up now: one budget all the same.
        self.refuse(data.again(name="kept"), "behind its anchor", user="analyst")
        standby.sql(data.again(name="kept"), user="analyst")
        self.assertIn("left", standby.refusal(data.again(name="kept"), user="analyst"))
        self.refuse(data.again(name="kept"), "behind its anchor", user="analyst")


class Failover(ServerCase):
    """The primary dies under load, and a standby that confirms every commit takes its place."""

    def test_what_was_acknowledged_is_on_the_standby_that_takes_over(self):
        self.sql(data.register(epsilon=200), user="curator")
        standby = Server(installation(), {}, os.environ.get("SOTTO_PG_PRELOAD"))
        self.addCleanup(standby.__exit__)
        standby.run(installation().bin / "pg_basebackup", "-h", "127.0.0.1", "-p", self.server.port, "-U", "admin", "-D", standby.data,
                    "-R", "-X", "stream", "--checkpoint=fast")
        standby.configure()
        standby.start()
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf(); SELECT pg_sleep(1)")
        self.sql(data.again(epsilon=0.5), user="analyst")  # waits for the standby
        # A session's own wish not to wait is none of the ledger's.
        running = [self.server.start_sql("SET synchronous_commit = off;\n" + (data.again(epsilon=0.5) + "\n") * 200, user=user)
                   for user in ("analyst", "rival")]
        time.sleep(2)
        self.server.kill()
        acknowledged = 1 + sum(len(process.communicate()[0].split()) for process in running)
        self.assertGreater(acknowledged, 1)
        standby.sql("SELECT pg_promote(true, 60)")
        charged, released, spent = (float(part) for part in standby.sql(
            "SELECT charged, released, spent FROM sotto.budget WHERE dataset = 'shop'").split("|"))
        self.assertLessEqual(acknowledged, released)
        self.assertLessEqual(released, charged)
        self.assertAlmostEqual(spent, 0.5 * charged, places=6)
        standby.sql("SELECT sotto.verify('shop')")
        standby.sql(data.again(epsilon=0.5), user="analyst")
        # The dead one comes back: whatever it remembers, the budget is spent elsewhere now.
        (self.server.data / "postgresql.auto.conf").write_text("")
        self.server.start()
        self.refuse(data.again(epsilon=0.5), "anchor", user="analyst")
        standby.sql("SELECT sotto.verify('shop')")


class NoDurability(ServerCase):
    settings = {"fsync": "off"}

    def test_a_server_that_does_not_flush_gets_no_ledger(self):
        self.refuse(data.register(), "fsync", user="curator")


class NoAnchorPlace(ServerCase):
    settings = {"sotto.anchor_directory": "''"}

    def test_an_anchor_place_outside_the_data_directory_is_required(self):
        self.refuse(data.register(), "anchor_directory", user="curator")
        self.sql(f"ALTER SYSTEM SET sotto.anchor_directory = '{self.server.data}/anchors'")
        self.sql("SELECT pg_reload_conf(); SELECT pg_sleep(1)")
        self.refuse(data.register(), "outside the data directory", user="curator")


if __name__ == "__main__":
    unittest.main()
