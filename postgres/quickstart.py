"""A private server, a table, a budget, a model, predictions, and the refusal when the budget is spent."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "test"))
from server import Failed, Installation, Server  # noqa: E402

STEPS = (
    ("A table of customers, the extension, a curator and an analyst", "admin", """
CREATE EXTENSION sotto;
CREATE TABLE customers AS
  SELECT 18 + (random() * 60)::int AS age, random() * 100 AS income, (ARRAY['city', 'town', 'farm'])[1 + (random() * 2)::int] AS home
  FROM generate_series(1, 20000);
ALTER TABLE customers ADD buys text;
UPDATE customers SET buys = CASE WHEN age / 80.0 + income / 100 + random() * 0.4 > 1.3 THEN 'yes' ELSE 'no' END;
CREATE ROLE curator LOGIN IN ROLE sotto_curator;
CREATE ROLE analyst LOGIN IN ROLE sotto_analyst;
GRANT SELECT ON customers TO curator;"""),
    ("A first declaration, suggested from the rows: for the curator alone, and to be corrected", "curator", """
SELECT jsonb_pretty(sotto.draft('customers', label => 'buys') -> 'features') AS features;"""),
    ("The curator declares what is public anyway, and a budget", "curator", """
SELECT sotto.register('shop', 'customers', label => 'buys',
  features => '{"age": [18, 78], "income": [0, 100], "home": ["city", "town", "farm"]}',
  epsilon => 2, options => '{"positive": ["yes"], "negative": ["no"], "data_norm": 2}');"""),
    ("The analyst may not read a row ...", "analyst", "SELECT * FROM customers LIMIT 1;"),
    ("... but asks what a model would cost, which is free", "analyst", """
SELECT sotto.plan('shop', epsilon => 1) -> 'budget' -> 'cost' ->> 'loss' AS cost,
       sotto.plan('shop', epsilon => 1) -> 'budget' ->> 'fits' AS fits;"""),
    ("... and trains one within the budget", "analyst", "SELECT sotto.train('shop', epsilon => 1) AS model;"),
    ("Its weights by name", "analyst", "SELECT feature, round(weight::numeric, 3) AS weight FROM sotto.coefficients WHERE model = 1;"),
    ("What the model says, and what it promises", "analyst", """
SELECT sotto.predict(1, '{"age": 70, "income": 90, "home": "city"}'::jsonb) AS rich_and_old,
       sotto.predict(1, '{"age": 20, "income": 10, "home": "farm"}'::jsonb) AS poor_and_young;
SELECT card -> 'guarantee' AS guarantee, card ->> 'relation' AS relation, card ->> 'theorem' AS theorem
FROM sotto.privacy_card(1) card;"""),
    ("What is left", "analyst", "SELECT dataset, epsilon, percent_used, percent_left, fits_epsilon FROM sotto.budget;"),
    ("Rolling back refunds nothing", "analyst", """
BEGIN;
SELECT sotto.train('shop', epsilon => 0.75) AS model;
ROLLBACK;
SELECT dataset, epsilon, percent_used, percent_left, fits_epsilon FROM sotto.budget;"""),
    ("The budget is nearly spent: what does not fit is refused, and costs nothing", "analyst",
     "SELECT sotto.train('shop', epsilon => 0.5);"),
    ("How good the first model is, to someone who may read the rows anyway", "admin",
     "SELECT round((e ->> 'accuracy')::numeric, 3) AS accuracy, e ->> 'remark' AS remark FROM sotto.evaluate(1, 'customers') e;"),
)
QUIET = ("-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "VERBOSITY=verbose")
REFUSED = (3, 10)  # the steps that must fail


def show(server, text, user):
    command = [part for part in server.command(user, "postgres") if part not in ("-A", "-t", "-q")]
    done = __import__("subprocess").run(command + ["-v", "VERBOSITY=terse"], input=text, capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).rstrip()


def wants_to_stay(arguments):
    if "--stay" in arguments:
        return True
    if not sys.stdin.isatty():
        return False
    return input("Try it yourself, with psql on this server? It ends when you leave. [y/N] ").strip().lower() in ("y", "yes")


def stay(server):
    """A prompt on the server, for as long as somebody stays at it."""
    print("-- You are admin. \\c - curator and \\c - analyst make you somebody else; SELECT sotto.help(); \\q ends the server.\n",
          flush=True)
    __import__("subprocess").run([part for part in server.command("admin", "postgres") if part not in QUIET])


def main(library, arguments=()):
    folder = Path(tempfile.mkdtemp(prefix="sotto-pg-tree-"))
    os.chmod(folder, 0o755)
    try:
        with Server(Installation(folder, library)) as server:
            for number, (title, user, text) in enumerate(STEPS):
                code, said = show(server, text, user)
                print(f"-- {title} ({user})\n{text.strip()}\n\n{said}\n")
                if (code != 0) != (number in REFUSED):
                    raise SystemExit(f"step {number} did not end as it should")
            if wants_to_stay(arguments):
                stay(server)
    except Failed as failed:
        raise SystemExit(str(failed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
