"""The processes that commit records: slots others take, sessions that are cancelled, processes that are ended."""
import os
import random
import subprocess
import threading
import time
import unittest

import data
from base import Failed, ServerCase

# Parallel workers for as long as it runs.
HOG = """SET max_parallel_workers_per_gather = 8; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;
SELECT count(*) FROM hog WHERE pg_sleep(0.01) IS NULL OR p = 'x';"""


class Slots(ServerCase):
    """A server with the usual number of slots, all of which a parallel query may take."""
    settings = {"max_worker_processes": 4, "max_parallel_workers": 4}

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql("CREATE TABLE hog AS SELECT repeat('p', 500) AS p FROM generate_series(1, 40000);"
                       "ALTER TABLE hog SET (parallel_workers = 8); GRANT SELECT ON hog TO stranger")
        cls.server.sql(data.register(epsilon=500), user="curator")

    def workers(self, kind):
        return int(self.sql(f"SELECT count(*) FROM pg_stat_activity WHERE backend_type = '{kind}'"))

    def lost(self):
        return int(self.sql("SELECT charged - released FROM sotto.budget WHERE dataset = 'shop'"))

    def until(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)

    def hog_all(self):
        """Parallel queries of someone without any right, until no slot is free."""
        hogs = []
        # A query that starts without workers goes on without: ask until a slot is refused.
        for _ in range(3):
            hogs.append(self.server.start_sql(HOG, user="stranger"))
            time.sleep(0.3)
        return hogs

    def end(self, hogs):
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'stranger' AND backend_type = 'client backend'")
        for hog in hogs:
            hog.communicate()
        self.until(lambda: self.workers("parallel worker") == 0, "the parallel workers stay")

    def test_a_training_that_was_charged_does_not_fail_for_want_of_a_slot(self):
        before, lost = self.charged(), self.lost()
        slow = '{"passes": 150000, "batch_rows": 3000, "again": true}'
        training = self.server.start_sql(data.train(options=slow), user="analyst")
        self.until(lambda: self.charged() == before + 1, "nothing was charged")
        hogs = self.hog_all()
        try:
            self.assertGreater(self.workers("parallel worker"), 0)
            # Nothing is left for another one, which is refused before it is charged; the wait can be cancelled.
            self.refuse("SET sotto.worker_wait = '300ms';" + data.again(), "no background worker is free", "Nothing was charged",
                        user="rival")
            self.refuse("SET statement_timeout = '300ms';" + data.again(), "57014", user="rival")
            self.assertEqual(self.charged(), before + 1)
            out, said = training.communicate()
            self.assertEqual(said, "")
            self.assertTrue(out.strip().isdigit())
            self.assertGreater(self.workers("parallel worker"), 0, "the slots were free again too soon")
        finally:
            self.end(hogs)
        self.assertEqual(self.lost(), lost)

    def test_whoever_waits_goes_on_when_a_slot_is_free(self):
        hogs = self.hog_all()
        waiting = self.server.start_sql(data.again(), user="analyst")
        time.sleep(0.5)
        self.assertIsNone(waiting.poll())
        self.end(hogs)
        out, said = waiting.communicate()
        self.assertEqual((said, out.strip().isdigit()), ("", True))

    def test_more_trainings_than_slots_take_turns(self):
        before = self.charged()
        running = [self.server.start_sql((data.again(epsilon=0.5) + "\n") * 5, user=user) for user in ("analyst", "rival") * 4]
        for process in running:
            out, said = process.communicate()
            self.assertEqual((said, len(out.split())), ("", 5))
        self.assertEqual(self.charged(), before + 40)
        self.sql("SELECT sotto.verify('shop')", user="curator")

    def test_a_process_ends_with_its_training(self):
        self.sql(data.again(), user="analyst")
        self.refuse("SET statement_timeout = '700ms';" + data.train(options=data.SLOW), "57014", user="analyst")
        self.sql(f"BEGIN; DECLARE c CURSOR FOR {data.again().rstrip(';')}; FETCH c; SELECT pg_sleep(0.5); SELECT count(*) FROM "
                 "pg_stat_activity WHERE backend_type = 'sotto ledger'; ROLLBACK", user="analyst")
        self.until(lambda: self.workers("sotto ledger") == 0, "a process stays")

    def test_a_process_that_was_ended_is_replaced(self):
        before = self.charged()
        training = self.server.start_sql(data.train(options='{"passes": 20000, "batch_rows": 3000, "again": true}'), user="analyst")
        self.until(lambda: self.charged() == before + 1, "nothing was charged")
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'sotto ledger'")
        out, said = training.communicate()
        self.assertEqual((said, out.strip().isdigit()), ("", True))
        self.sql("SELECT sotto.verify('shop')", user="curator")


class Cancelled(ServerCase):
    """Sessions that time out at random while they write to the ledger, and one that does not."""
    rows = 400
    settings = {"max_worker_processes": 24}

    def test_no_other_session_fails_or_loses_a_charge(self):
        calls = int(os.environ.get("SOTTO_PG_VICTIM_CALLS", "60"))
        self.sql(data.register(epsilon=9000), user="curator")
        draw = random.Random(3)
        over = threading.Event()
        request = data.again(epsilon=0.001)
        begun = time.monotonic()
        self.sql(request * 5, user="rival")
        # Where a call takes longer than usual, so do those that are to be cancelled near its end.
        longest = max(60, int((time.monotonic() - begun) * 1000 / 2))

        def trouble(seed):
            own = random.Random(seed)
            while not over.is_set():
                # One connection is used for many calls: its own abandoned processes are in its way too.
                script = "".join(f"SET statement_timeout = {own.randint(8, longest)};\n{request}\n" for _ in range(20))
                process = self.server.start_sql("\\set ON_ERROR_STOP off\n" + script, user="rival")
                process.communicate()

        threads = [threading.Thread(target=trouble, args=(draw.random(),)) for _ in range(8)]
        for thread in threads:
            thread.start()
        try:
            failed = []
            answered = 0
            for done in range(0, calls, 20):
                process = self.server.start_sql("\\set ON_ERROR_STOP off\n" + (request + "\n") * min(20, calls - done), user="analyst")
                out, said = process.communicate()
                failed += [line for line in said.splitlines() if "ERROR" in line]
                answered += len(out.split())
                self.assertEqual(answered + len(failed), min(done + 20, calls), said)
        finally:
            over.set()
            for thread in threads:
                thread.join()
        cancelled = int(self.sql("SELECT charged - released FROM sotto.budget WHERE dataset = 'shop'"))
        others = int(self.sql("SELECT count(*) FROM sotto.models WHERE analyst = 'rival'"))
        print(f"{calls} calls, {len(failed)} failed; others (8 to {longest} ms): {others} released, {cancelled} cancelled after their charge")
        self.assertEqual(failed, [])
        self.assertEqual(int(self.sql("SELECT count(*) FROM sotto.models WHERE analyst = 'analyst'")), calls)
        self.assertNotRegex(self.server.log.read_text(), "the ledger was not written|does not follow|internal error")
        self.sql("SELECT sotto.verify('shop')", user="curator")


class Locks(ServerCase):
    """Locks of others, and a client that does not read what it is told."""

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(epsilon=500), user="curator")

    def until(self, query, what):
        deadline = time.monotonic() + 60
        while self.sql(query) != "t":
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def hold(self, text, user="admin"):
        """A session that keeps its transaction open until it is told to end it."""
        holder = subprocess.Popen(self.server.command(user, "postgres"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        holder.stdin.write(f"BEGIN; {text}; SELECT 'held';\n")
        holder.stdin.flush()
        while (line := holder.stdout.readline().strip()) != "held":
            self.assertNotIn("ERROR", line)
        return holder

    def test_a_charge_is_not_lost_however_long_somebody_locks_the_tables(self):
        lost = "SELECT charged - released FROM sotto.budget WHERE dataset = 'shop'"
        before = self.sql(lost)
        for table in ("sotto.model", "sotto.ledger_head"):
            holder = self.hold(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
            training = self.server.start_sql("SET lock_timeout = '100ms';" + data.again(), user="analyst")
            self.until("SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND backend_type = "
                       "'sotto ledger'", "nobody waits")
            time.sleep(11)
            self.assertIsNone(training.poll(), "it did not wait")
            # Whoever waits can be cancelled.
            self.refuse("SET statement_timeout = '500ms';" + data.again(), "57014", user="rival")
            holder.communicate("COMMIT;\n", timeout=60)
            out, said = training.communicate(timeout=60)
            self.assertEqual((said, out.strip().isdigit()), ("", True))
        self.until("SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'sotto ledger'", "a process stays")
        self.assertEqual(int(self.sql(lost)) - int(before), self.given_up())
        self.sql("SELECT sotto.verify('shop')", user="curator")

    def given_up(self):
        """Charges of whoever was cancelled."""
        return int(self.sql("SELECT count(*) FROM sotto.ledger_record r WHERE kind = 'reserved' AND charged_to = 'rival' AND NOT EXISTS "
                            "(SELECT 1 FROM sotto.ledger_record e WHERE e.ledger = r.ledger AND e.entry = r.entry AND e.kind = 'released')"))

    def test_nothing_is_sent_to_a_client_while_an_anchor_may_be_locked(self):
        """Who does not read it would stop the server's process there, and all who use the ledger with it."""
        chatty = "SET client_min_messages = debug5; SET debug_print_plan = on; SET debug_print_parse = on;"
        for user, call in (("analyst", data.again()), ("analyst", "SELECT sotto.plan('shop', epsilon => 1);"),
                           ("curator", "SELECT sotto.verify('shop');"), ("curator", "SELECT sotto.grant_share('shop', 'rival', 1);")):
            _, said = self.server.start_sql(chatty + call, user=user).communicate(timeout=60)
            self.assertIn("DEBUG", said)
            for words in ("ledger_record", "ledger_head"):
                self.assertNotIn(words, said)
        # Errors are told all the same.
        self.sql("ALTER TABLE sotto.ledger_record RENAME TO elsewhere")
        try:
            self.refuse("SELECT sotto.plan('shop', epsilon => 1)", "ledger_record", user="analyst")
        finally:
            self.sql("ALTER TABLE sotto.elsewhere RENAME TO ledger_record")

    def test_a_refresh_that_waits_for_a_training_or_another_stops_no_registration(self):
        self.sql("CREATE TABLE long AS SELECT * FROM customers WHERE id <= 500; CREATE TABLE short AS SELECT * FROM customers WHERE id <= 400;"
                 "GRANT SELECT ON long, short TO curator")
        self.sql(data.register("long", "long"), user="curator")
        training = self.server.start_sql(data.train("long", options=data.SLOW), user="analyst")
        self.until("SELECT charged = 1 FROM sotto.budget WHERE dataset = 'long'", "nothing was charged")
        refresh = self.server.start_sql("SELECT sotto.refresh('long')", user="curator")
        waits = "SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND usename = 'curator'"
        self.until(waits, "the refresh does not wait")
        self.sql("SET statement_timeout = '30s';" + data.register("short", "short"), user="curator")
        self.assertIsNone(refresh.poll())
        self.assertIsNone(training.poll(), "the training was too short")
        self.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'analyst'")
        training.communicate(timeout=60)
        self.assertNotIn("ERROR", refresh.communicate(timeout=60)[1])
        # Nor does one that waits for a session which gives the data set up.
        holder = self.hold("SELECT sotto.unregister('long')", user="curator")
        refresh = self.server.start_sql("SELECT sotto.refresh('long')", user="curator")
        self.until(waits, "the refresh does not wait")
        self.sql("SET statement_timeout = '30s'; SELECT sotto.refresh('short')", user="curator")
        holder.communicate("COMMIT;\n", timeout=60)
        self.assertIn("was refreshed or unregistered meanwhile", refresh.communicate(timeout=60)[1])
        self.assertEqual(self.sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'sotto_data'::regnamespace AND relkind = 'r'"), "2")


class Registering(ServerCase):
    """The same rows registered by several sessions at once."""
    settings = {"max_worker_processes": 24}

    def test_one_wins_and_the_others_leave_nothing(self):
        for i in range(3):
            self.sql(f"CREATE TABLE rows{i} AS SELECT * FROM customers WHERE id <= {300 + i}; GRANT SELECT ON rows{i} TO curator")
            running = [self.server.start_sql(data.register(f"set{i}_{j}", f"rows{i}"), user="curator") for j in range(8)]
            said = [process.communicate() for process in running]
            self.assertEqual(sum(out.strip().isdigit() for out, _ in said), 1, said)
            for out, error in said:
                if not out.strip().isdigit():
                    self.assertIn("these rows are registered already", error)
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.ledger_head"), "3")
        self.assertEqual(self.sql("SELECT count(*) FROM sotto.ledger_head WHERE fingerprint IS NULL"), "0")


if __name__ == "__main__":
    unittest.main()
