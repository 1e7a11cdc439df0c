"""Cancelling, and a backend that trains for a long time."""
import os
import time
import unittest

import data
from base import ServerCase


class Cancelling(ServerCase):
    def test_a_training_stops_when_it_is_asked_to(self):
        """How soon is measured by bench/scan_postgres."""
        self.sql(data.register(epsilon=100), user="curator")
        for i, call in enumerate((data.train(options=data.SLOW), "SELECT sotto.tune('shop', '{\"lambda\": [0.01]}', tune_by => "
                                  f"'parts', method => 'bolt_on', epsilon => 1, options => '{data.SLOW}')")):
            slow = self.server.start_sql(call, user="analyst")
            deadline = time.monotonic() + 60
            while self.charged() == i and time.monotonic() < deadline:
                time.sleep(0.05)
            self.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'analyst' AND state = 'active'")
            self.assertIn("canceling statement", slow.communicate()[1])
            self.assertEqual(self.charged(), i + 1)


    def test_a_plan_of_very_many_steps_stops_when_it_is_asked_to(self):
        self.sql("CREATE TABLE few AS SELECT * FROM customers WHERE id <= 900; GRANT SELECT ON few TO curator")
        self.sql(data.register("few", "few", epsilon=100, delta=1e-3), user="curator")
        endless = '{"passes": 15000000, "batch_rows": 1}'
        published = '{"passes": 15000000, "step": "square_root", "calibration": "published"}'
        for call in ("plan('few', method => 'bolt_on', epsilon => 1, lambda => 0.01, options => '%s')" % endless,
                     "plan('few', method => 'bolt_on', epsilon => 1, options => '%s')" % published,
                     "train('few', method => 'bolt_on', epsilon => 1, lambda => 0.01, options => '%s')" % endless,
                     "train_table('few', method => 'bolt_on', epsilon => 1, lambda => 0.01, options => '%s')" % endless,
                     "tune('few', '{\"lambda\": [0.01, 0.1]}', tune_by => 'parts', method => 'bolt_on', epsilon => 1, options => '%s')" % endless):
            with self.subTest(call=call):
                slow = self.server.start_sql(f"SET statement_timeout = '300ms'; SELECT sotto.{call}", user="curator")
                try:
                    said = slow.communicate(timeout=60)[1]
                finally:
                    slow.kill()
                self.assertIn("57014", said)
        self.assertEqual(self.charged("few"), 0)


class Threads(ServerCase):
    """Sums by several threads of a backend, which may be stopped or ended at any time."""
    rows = 10000
    settings = {"sotto.threads": 4}

    def test_a_backend_that_is_ended_while_it_adds_up_takes_nobody_with_it(self):
        # Enough rows that their memory is given back to the system when the backend ends.
        self.sql("CREATE TABLE many AS SELECT c.* FROM customers c, generate_series(1, 10); GRANT SELECT ON many TO curator")
        self.sql(data.register(source="many", epsilon=500, delta=1e-4), user="curator")
        slow = ("SELECT sotto.train('shop', method => 'dpgd', epsilon => 1, delta => 1e-6, lambda => 0.01, options => "
                "'{\"passes\": 20000, \"again\": true}')")
        for i, how in enumerate(("terminate", "cancel") * 4):
            running = self.server.start_sql(slow, user="analyst")
            deadline = time.monotonic() + 60
            while self.charged() == i:
                self.assertLess(time.monotonic(), deadline, "nothing was charged")
                time.sleep(0.02)
            threads = 0
            while threads < 2 and time.monotonic() < deadline:
                pid = self.sql("SELECT pid FROM pg_stat_activity WHERE usename = 'analyst' AND state = 'active'")
                self.assertTrue(pid, "it ended too soon")
                threads = max(threads, len(os.listdir(f"/proc/{pid}/task")))
            self.sql(f"SELECT pg_{how}_backend({pid})")
            self.assertRegex(running.communicate()[1], "57P01" if how == "terminate" else "57014")
            self.assertEqual(self.charged(), i + 1)
        self.assertNotRegex(self.server.log.read_text(), "was terminated by signal|all server processes terminated")
        self.assertEqual(self.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'analyst'"), "0")


class LongLife(ServerCase):
    rows = 400

    def test_memory_is_stable_over_many_trainings_in_one_backend(self):
        count = int(os.environ.get("SOTTO_PG_TRAININGS", "120"))
        self.sql(data.register(epsilon=9000), user="curator")
        half = count // 2
        resident = ("SELECT (regexp_match(pg_read_file('/proc/' || pg_backend_pid() || '/status'), "
                    "'RssAnon:\\s+(\\d+)'))[1];\n")
        self.sql("GRANT pg_read_server_files TO analyst; GRANT EXECUTE ON FUNCTION pg_read_file(text) TO analyst")
        script = data.again() * 20 + resident + data.again() * half + resident + data.again() * half + resident
        lines = self.sql(script.replace(";", ";\n"), user="analyst").split()
        sizes = [int(lines[i]) for i in (20, 21 + half, 22 + 2 * half)]
        print("anonymous memory in kB:", sizes)
        # The ledger grows by two records a training and is replayed each time; what it took is given back.
        self.assertLess(sizes[2] - sizes[1], 4096)
        self.assertEqual(self.charged(), 20 + 2 * half)


if __name__ == "__main__":
    unittest.main()
