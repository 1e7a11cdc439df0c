"""A data set on three servers, for the tests of shards: the rows of one table, parted by a public number."""
import os
import secrets
import unittest
from pathlib import Path

import data
from base import ServerCase, installation
from server import Server, pg_config

SHARDED = data.LABEL.replace('"filter"', '"layout": "sharded", "filter"')
COLUMNS = "id int, age int, income float8, home text, buys text"
FAILED = "not every shard answered for the rows the ledger was made for"
SLOW = '{"passes": 300000, "batch_rows": 1000}'


class ShardedCase(ServerCase):
    rows = 3000
    budget = 100

    @classmethod
    def setUpClass(cls):
        if not (Path(pg_config("sharedir")) / "extension" / "postgres_fdw.control").exists():
            raise unittest.SkipTest("this server comes without postgres_fdw")
        super().setUpClass()

    @classmethod
    def prepare(cls):
        super().prepare()
        cls.key = secrets.token_hex(32)
        cls.give_key(cls.server)
        cls.shards = []
        for number in range(3):
            shard = Server(installation(), {"log_statement": "'all'"}, os.environ.get("SOTTO_PG_PRELOAD"))
            shard.__enter__()
            cls.addClassCleanup(shard.__exit__)
            cls.shards.append(shard)
            cls.give_key(shard)
            shard.sql("CREATE EXTENSION sotto; CREATE ROLE remote LOGIN IN ROLE sotto_curator; CREATE ROLE spy LOGIN IN ROLE sotto_analyst;"
                      f"{data.CUSTOMERS.format(rows=cls.rows)} DELETE FROM customers WHERE id / 3 % 3 <> {number};"
                      f"ALTER TABLE customers ADD shard int DEFAULT {number}; GRANT SELECT ON customers TO remote")
        cls.server.sql("CREATE EXTENSION postgres_fdw; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO curator;"
                       f"CREATE TABLE spread ({COLUMNS}, shard int) PARTITION BY LIST (shard); GRANT SELECT ON spread TO curator")
        for number, shard in enumerate(cls.shards):
            cls.server.sql(f"""
              CREATE SERVER shard{number} FOREIGN DATA WRAPPER postgres_fdw
                OPTIONS (host '127.0.0.1', port '{shard.port}', dbname 'postgres', extensions 'sotto',
                         async_capable 'true');
              CREATE USER MAPPING FOR curator SERVER shard{number} OPTIONS (user 'remote', password_required 'false');
              CREATE FOREIGN TABLE spread{number} PARTITION OF spread FOR VALUES IN ({number}) SERVER shard{number}
                OPTIONS (table_name 'customers');""")
        cls.server.sql(data.register("spread", "spread", epsilon=cls.budget, options=SHARDED), user="curator")

    @classmethod
    def give_key(cls, server):
        path = server.anchors / "cluster.key"
        path.write_text(cls.key)
        path.chmod(0o600)
        server.own(server.anchors)

    def train(self, epsilon=2, options="{}", **more):
        return self.sql(f"SELECT sotto.train('spread', epsilon => {epsilon}, lambda => 0.01, options => '{options}')",
                        **{"user": "analyst", **more})
