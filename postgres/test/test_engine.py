"""The engine in the database against the reference engine: the same order, the same bits."""
import os
import shutil
import unittest
from pathlib import Path

import data
from base import ServerCase, installation
from server import pg_config


@unittest.skipUnless(os.environ.get("SOTTO_PG_TEST_LIBRARY"), "the test library was not built")
class SameBits(ServerCase):
    rows = 20000  # several windows of the shuffled order

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.server.sql(data.register(), user="curator")
        lib = installation().root / pg_config("pkglibdir").lstrip("/")
        shutil.copy2(os.environ["SOTTO_PG_TEST_LIBRARY"], lib / "sotto_test.so")
        cls.server.sql("CREATE FUNCTION agree(text, text) RETURNS bool LANGUAGE c AS 'sotto_test', 'sotto_engines_agree'")

    def test_weights_have_the_bits_of_the_reference_engine(self):
        requests = ('{"method": "noiseless", "epsilon": 1, "passes": 3, "lambda": 0.01}',
                    '{"method": "bolt_on", "epsilon": 1, "lambda": 0.01, "passes": 5, "batch_rows": 50}',
                    '{"method": "bolt_on", "epsilon": 1, "loss": "huber_svm", "lambda": 0.001, "order": "fresh"}',
                    '{"method": "scs13", "epsilon": 1, "delta": 1e-6, "lambda": 0.01, "batch_rows": 100}',
                    '{"method": "objective", "epsilon": 1, "lambda": 0.1}',
                    '{"method": "output", "epsilon": 1, "lambda": 0.1}',
                    '{"method": "dpgd", "epsilon": 1, "delta": 1e-6, "lambda": 0.01}',
                    '{"method": "dpsgd", "epsilon": 1, "delta": 1e-6, "lambda": 0.01}')
        for request in requests:
            with self.subTest(request=request):
                self.assertEqual(self.sql(f"SELECT agree('shop', '{request}')"), "t")


if __name__ == "__main__":
    unittest.main()
