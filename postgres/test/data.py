"""Tables the tests register."""

CUSTOMERS = """
CREATE TABLE customers AS
SELECT i AS id, (20 + (i * 7919) % 60)::int AS age, ((i * 104729) % 1000) / 10.0::float8 AS income,
       (ARRAY['city', 'town', 'farm'])[1 + (i * 31) % 3] AS home,
       CASE WHEN ((i * 7919) % 60) + ((i * 104729) % 1000) / 20.0 > 55 THEN 'yes' ELSE 'no' END AS buys
FROM generate_series(1, {rows}) i;
"""

FEATURES = '{"age": [20, 80], "income": [0, 100], "home": ["city", "town", "farm"]}'
LABEL = '{"positive": ["yes"], "negative": ["no"], "intercept": 1, "data_norm": 2, "filter": "sum"}'

UNCHECKED = LABEL[:-1] + ', "check": false}'


def register(name="shop", source="customers", epsilon=10, delta=1e-6, features=FEATURES, options=LABEL):
    return (f"SELECT sotto.register('{name}', '{source}', 'buys', '{features}', epsilon => {epsilon}, "
            f"delta => {delta}, options => '{options}');")


def train(name="shop", epsilon=1, method="bolt_on", lam=0.01, options="{}"):
    return (f"SELECT sotto.train('{name}', method => '{method}', epsilon => {epsilon}, lambda => {lam}, "
            f"options => '{options}');")


def again(**more):
    """A request that is charged whether or not it was answered before."""
    return train(options='{"again": true}', **more)


# Long to train, quick to plan: the plan looks at every step, the training at every row.
SLOW = '{"passes": 300000, "batch_rows": 3000}'

ROLES = """
CREATE ROLE curator LOGIN IN ROLE sotto_curator;
CREATE ROLE analyst LOGIN IN ROLE sotto_analyst;
CREATE ROLE rival LOGIN IN ROLE sotto_analyst;
CREATE ROLE stranger LOGIN;
GRANT SELECT ON customers TO curator;
REVOKE ALL ON customers FROM PUBLIC;
"""
