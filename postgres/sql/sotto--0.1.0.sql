\echo Use "CREATE EXTENSION sotto" to load this file. \quit

-- Names are those of the server, whoever made what in the schema before.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- Who owns the schema could drop and replace what is in it; what was there before, or is made in it meanwhile, could be
-- taken for ours.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner WHERE n.nspname = 'sotto' AND NOT r.rolsuper)
     OR EXISTS (SELECT 1 FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'sotto'::regnamespace
                AND deptype = 'n' AND classid <> 'pg_extension'::regclass)
     OR EXISTS (SELECT 1 FROM pg_namespace n, aclexplode(nspacl) WHERE nspname = 'sotto' AND privilege_type = 'CREATE' AND
                grantee <> nspowner AND n.xmin <> pg_current_xact_id()::xid) THEN
    RAISE EXCEPTION 'schema "sotto" was there before, with objects in it, owned by no superuser or open to others'
      USING ERRCODE = 'duplicate_schema', HINT = 'Look who made it, and drop it.';
  END IF;
END
$$;

-- Roles are the server's, so they may be there already. Whoever may make roles may have made them.
DO $$
DECLARE
  given text;
  members text;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'sotto_owner') THEN
    CREATE ROLE sotto_owner NOLOGIN;
  ELSIF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'sotto_owner' AND (rolcanlogin OR rolsuper OR
                rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls))
     OR EXISTS (SELECT 1 FROM pg_auth_members WHERE roleid = (SELECT oid FROM pg_roles WHERE rolname = 'sotto_owner')) THEN
    -- Who is in it reads the packed rows and writes the ledgers.
    RAISE EXCEPTION 'role "sotto_owner" was there before, and can log in, is privileged or has members'
      USING ERRCODE = 'duplicate_object', HINT = 'Look who made it, revoke it from its members, or drop it.';
  END IF;
  FOREACH given IN ARRAY ARRAY['sotto_curator', 'sotto_analyst'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = given) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', given);
    ELSIF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = given AND (rolcanlogin OR rolsuper OR rolcreaterole)) THEN
      RAISE EXCEPTION 'role "%" was there before, and can log in or is privileged', given
        USING ERRCODE = 'duplicate_object', HINT = 'Look who made it, and change or drop it.';
    END IF;
    SELECT string_agg(DISTINCT member::regrole::text, ', ') INTO members
      FROM pg_auth_members WHERE roleid = given::regrole;
    IF members IS NOT NULL THEN
      RAISE WARNING 'role "%" was there before, and has members: %', given, members;
    END IF;
  END LOOP;
END
$$;

-- What functions are made of. Nobody has to call these, and nobody but the owner and curators (on a shard) may look them up.
CREATE SCHEMA sotto_internal;

-- The packed copies: private rows. Nobody but the owner looks in.
CREATE SCHEMA sotto_data AUTHORIZATION sotto_owner;

CREATE SEQUENCE sotto.dataset_id AS int4;

CREATE TABLE sotto.dataset (
  id int4 PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> ''),
  generation int4 NOT NULL,
  source regclass NOT NULL,
  label text NOT NULL,
  features text NOT NULL,
  encoding text NOT NULL,
  row_count int8 NOT NULL,
  feature_count int4 NOT NULL,
  class_count int4 NOT NULL,
  data_norm float8 NOT NULL,
  block_rows int4 NOT NULL,
  fingerprint text NOT NULL,
  ledger int4 NOT NULL UNIQUE,
  registered timestamptz NOT NULL DEFAULT clock_timestamp(),
  refreshed timestamptz,
  -- Data sets without a packed copy: trained on by an aggregate (unpacked), or where their shards are (sharded).
  layout text NOT NULL CHECK (layout IN ('packed', 'unpacked', 'sharded')),
  curator text
);

-- The totals of a ledger; a second line behind the chain of its records.
CREATE TABLE sotto.ledger_head (
  ledger int4 PRIMARY KEY,
  sequence int8 NOT NULL,
  hash text NOT NULL,
  spent_loss int8 NOT NULL CHECK (spent_loss BETWEEN 0 AND limit_loss),
  spent_delta int8 NOT NULL CHECK (spent_delta BETWEEN 0 AND limit_delta),
  limit_loss int8 NOT NULL,
  limit_delta int8 NOT NULL,
  filter text NOT NULL,
  relation text NOT NULL,
  epsilon float8 NOT NULL,
  delta float8 NOT NULL,
  fingerprint text UNIQUE
);

CREATE TABLE sotto.ledger_record (
  ledger int4 NOT NULL REFERENCES sotto.ledger_head,
  sequence int8 NOT NULL CHECK (sequence >= 0),
  kind text NOT NULL,
  entry int8 NOT NULL,
  time int8 NOT NULL,
  cost_loss int8 NOT NULL CHECK (cost_loss >= 0),
  cost_delta int8 NOT NULL CHECK (cost_delta >= 0),
  spent_loss int8 NOT NULL,
  spent_delta int8 NOT NULL,
  request text NOT NULL,
  detail text NOT NULL,
  previous text NOT NULL,
  hash text NOT NULL UNIQUE,
  token text NOT NULL,
  analyst text,
  charged_to text, -- a part of the chain: shares are counted by it
  PRIMARY KEY (ledger, sequence)
);
CREATE UNIQUE INDEX ledger_record_one_end ON sotto.ledger_record (ledger, entry) WHERE kind IN ('released', 'voided');

CREATE TABLE sotto.shard (
  dataset int4 NOT NULL REFERENCES sotto.dataset,
  place int4 NOT NULL,
  value text NOT NULL,
  row_count int8 NOT NULL CHECK (row_count > 0),
  fingerprint text NOT NULL,
  PRIMARY KEY (dataset, place),
  UNIQUE (dataset, value)
);

CREATE TABLE sotto.model (
  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  ledger int4 NOT NULL REFERENCES sotto.ledger_head,
  entry int8 NOT NULL,
  dataset text NOT NULL,
  analyst text,
  asked timestamptz NOT NULL, -- when it was reserved: how long a training took may depend on the rows
  body text NOT NULL,
  UNIQUE (ledger, entry)
);

ALTER SEQUENCE sotto.dataset_id OWNER TO sotto_owner;
ALTER TABLE sotto.dataset OWNER TO sotto_owner;
ALTER TABLE sotto.ledger_head OWNER TO sotto_owner;
ALTER TABLE sotto.ledger_record OWNER TO sotto_owner;
ALTER TABLE sotto.model OWNER TO sotto_owner;
ALTER TABLE sotto.shard OWNER TO sotto_owner;

-- A dump carries them along; a restored ledger is refused until its owner says which copy counts.
SELECT pg_catalog.pg_extension_config_dump('sotto.dataset_id', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.dataset', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.ledger_head', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.ledger_record', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.model', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.shard', '');
SELECT pg_catalog.pg_extension_config_dump('sotto.model_id_seq', '');

-- What is public: declarations, shapes, budgets, released models. No fingerprint: it is an exact function of the rows.
-- Read with the rights of their owner, not of who asks (no security_invoker): analysts have no right on the tables.
CREATE VIEW sotto.datasets WITH (security_barrier) AS
  SELECT name, row_count AS rows, feature_count AS features, class_count AS classes, data_norm, label,
         features::json AS columns, encoding::json AS encoding, registered, refreshed
  FROM sotto.dataset;

CREATE FUNCTION sotto_internal.budget_words(terms text, spent_loss int8, spent_delta int8) RETURNS json
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_budget_words';
CREATE FUNCTION sotto_internal.coefficients(model text) RETURNS json
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_coefficients';

-- Totals and limits as the records have them, which every training replays; and what is the caller's own of it. What still
-- fits is what fits the caller's share.
CREATE VIEW sotto.budget WITH (security_barrier) AS
  SELECT d.name AS dataset, (u.use ->> 'percent_used')::float8 AS percent_used,
         (u.use ->> 'percent_left')::float8 AS percent_left,
         (f.use #>> '{still_fits,epsilon}')::float8 AS fits_epsilon, (f.use #>> '{still_fits,delta}')::float8 AS fits_delta,
         (t.terms ->> 'epsilon')::float8 AS epsilon, (t.terms ->> 'delta')::float8 AS delta,
         t.terms ->> 'relation' AS relation, t.terms ->> 'filter' AS filter, u.use ->> 'currency' AS currency,
         (l.spent_loss / 1e12)::numeric(30, 12) AS spent,
         (t.limit_loss / 1e12)::numeric(30, 12) AS "limit",
         ((t.limit_loss - l.spent_loss) / 1e12)::numeric(30, 12) AS remaining,
         (l.spent_delta / 1e18)::numeric(30, 18) AS spent_delta,
         (t.limit_delta / 1e18)::numeric(30, 18) AS limit_delta,
         (SELECT count(*) FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.kind = 'reserved') AS charged,
         (SELECT count(*) FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.kind = 'released') AS released,
         (s.millionths / 1e6)::numeric(7, 6) AS share,
         (o.spent_loss / 1e12)::numeric(30, 12) AS own_spent,
         (o.left_loss / 1e12)::numeric(30, 12) AS own_remaining,
         (ceil(t.limit_loss / 1e4) / 1e12)::numeric(30, 12) AS smallest_price
  FROM sotto.dataset d
    CROSS JOIN LATERAL (SELECT r.detail, r.detail::json AS terms, (r.detail::json ->> 'limit_loss')::int8 AS limit_loss,
                          (r.detail::json ->> 'limit_delta')::int8 AS limit_delta
                        FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.kind IN ('opened', 'lowered', 'corrected')
                        ORDER BY r.sequence DESC LIMIT 1) t
    CROSS JOIN LATERAL (SELECT r.spent_loss, r.spent_delta FROM sotto.ledger_record r WHERE r.ledger = d.ledger
                        ORDER BY r.sequence DESC LIMIT 1) l
    CROSS JOIN LATERAL (SELECT g.millionths, trunc(t.limit_loss::numeric * g.millionths / 1000000) AS limit_loss,
                          trunc(t.limit_delta::numeric * g.millionths / 1000000) AS limit_delta
                        FROM (SELECT coalesce(
                                (SELECT (r.detail::json ->> 'millionths')::int8 FROM sotto.ledger_record r
                                 WHERE r.ledger = d.ledger AND session_user::text =
                                   CASE WHEN r.kind = 'granted' THEN r.detail::json ->> 'analyst' END
                                 ORDER BY r.sequence DESC LIMIT 1),
                                (t.terms ->> 'analyst_share')::int8, 1000000) AS millionths) g) s
    CROSS JOIN LATERAL (SELECT c.loss AS spent_loss,
                          greatest(least(s.limit_loss - c.loss, t.limit_loss - l.spent_loss), 0) AS left_loss,
                          greatest(least(s.limit_delta - c.delta, t.limit_delta - l.spent_delta), 0) AS left_delta
                        FROM (SELECT coalesce(sum(r.cost_loss), 0) AS loss, coalesce(sum(r.cost_delta), 0) AS delta
                              FROM sotto.ledger_record r
                              WHERE r.ledger = d.ledger AND r.kind = 'reserved' AND r.charged_to = session_user::text
                                AND NOT EXISTS (SELECT 1 FROM sotto.ledger_record v WHERE v.ledger = r.ledger
                                                AND v.entry = r.entry AND v.kind = 'voided')) c) o
    CROSS JOIN LATERAL sotto_internal.budget_words(t.detail, l.spent_loss, l.spent_delta) u(use)
    CROSS JOIN LATERAL sotto_internal.budget_words(t.detail, (t.limit_loss - o.left_loss)::int8,
                                                   (t.limit_delta - o.left_delta)::int8) f(use);

-- A model whose bytes are not those its ledger released shows nothing but that.
CREATE VIEW sotto.models WITH (security_barrier) AS
  SELECT m.id, m.dataset, b.body #>> '{card,method}' AS method, b.body ->> 'loss' AS loss,
         (b.body #>> '{card,guarantee,epsilon}')::float8 AS epsilon,
         (b.body #>> '{card,guarantee,delta}')::float8 AS delta,
         (b.body #>> '{card,private}')::boolean AS private,
         b.body -> 'weights' AS weights, m.analyst, m.asked, b.body IS NOT NULL AS intact
  FROM sotto.model m
    CROSS JOIN LATERAL (SELECT CASE WHEN EXISTS (
        SELECT 1 FROM sotto.ledger_record r WHERE r.ledger = m.ledger AND r.entry = m.entry AND r.kind = 'released'
          AND r.detail = encode(sha256(convert_to(m.body, 'UTF8')), 'hex'))
      THEN m.body::jsonb END AS body) b;

-- By the names of their features. Of two classes the positive one is shown.
CREATE VIEW sotto.coefficients WITH (security_barrier) AS
  SELECT m.id AS model, c.class, c.feature, c.weight
  FROM sotto.model m
    CROSS JOIN LATERAL json_to_recordset(CASE WHEN EXISTS (
        SELECT 1 FROM sotto.ledger_record r WHERE r.ledger = m.ledger AND r.entry = m.entry AND r.kind = 'released'
          AND r.detail = encode(sha256(convert_to(m.body, 'UTF8')), 'hex'))
      THEN sotto_internal.coefficients(m.body) END) AS c(class text, feature text, weight float8);

ALTER VIEW sotto.coefficients OWNER TO sotto_owner;
ALTER VIEW sotto.datasets OWNER TO sotto_owner;
ALTER VIEW sotto.budget OWNER TO sotto_owner;
ALTER VIEW sotto.models OWNER TO sotto_owner;

-- The functions of the library. Those of sotto_internal take JSON as it is. A setting of the session rounds no budget.
-- What only asks keeps the digits it was asked with: they are what is charged.
CREATE FUNCTION sotto_internal.register(dataset text, source regclass, label text, features text, options text,
                                        budget text, layout text)
  RETURNS int4 LANGUAGE C VOLATILE PARALLEL UNSAFE SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_register';
CREATE FUNCTION sotto_internal.plan(dataset text, request text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1 AS 'MODULE_PATHNAME', 'pg_sotto_plan';
CREATE FUNCTION sotto_internal.train(dataset text, request text) RETURNS int8
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000 SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_train';
CREATE FUNCTION sotto_internal.evaluate(model int8, source regclass, label text, features text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_evaluate';
CREATE FUNCTION sotto_internal.verify(dataset text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_verify';

CREATE FUNCTION sotto.refresh(dataset text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_refresh';
COMMENT ON FUNCTION sotto.refresh IS
  'reads the source table anew; what was spent stays spent
Example: SELECT sotto.refresh(''shop'');';
CREATE FUNCTION sotto.unregister(dataset text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_unregister';
COMMENT ON FUNCTION sotto.unregister IS
  'removes the packed copy; models and ledger stay
Example: SELECT sotto.unregister(''shop'');';
CREATE FUNCTION sotto.move_ledger(dataset text) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_move_ledger';
COMMENT ON FUNCTION sotto.move_ledger IS
  'declares the ledger in this database the one that counts
Example: SELECT sotto.move_ledger(''shop'');';
CREATE FUNCTION sotto.model_text(model int8) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pg_sotto_model_text';
COMMENT ON FUNCTION sotto.model_text IS
  'the model as the command line reads it
Example: SELECT sotto.model_text(1);';

-- Names are bound when these are made, or written out in full: no search path of a caller reaches into them.
CREATE FUNCTION sotto.register(dataset text, source regclass, label text, features json, epsilon float8,
                               delta float8 DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS int4
  LANGUAGE sql VOLATILE PARALLEL UNSAFE SET extra_float_digits = 1
  BEGIN ATOMIC
    SELECT sotto_internal.register(dataset, source, label, features::text,
      (options - '{filter,rdp_order,unit,layout,analyst_share}'::text[])::text,
      jsonb_strip_nulls(jsonb_build_object('budget_epsilon', epsilon, 'budget_delta', delta,
        'filter', options -> 'filter', 'rdp_order', options -> 'rdp_order', 'unit', options -> 'unit',
        'analyst_share', options -> 'analyst_share'))::text,
      coalesce(options ->> 'layout', 'packed'));
  END;
COMMENT ON FUNCTION sotto.register IS
  'declares public bounds and a budget, and packs a copy of a table. The filter is sum and delta a function of the rows unless they are given
Example: SELECT sotto.register(''shop'', ''customers'', ''buys'', ''{"age": [18, 90], "home": ["city", "town", "farm"]}'', epsilon => 2, options => ''{"negative": ["no"], "positive": ["yes"]}'');';

CREATE FUNCTION sotto.plan(dataset text, method text DEFAULT NULL, epsilon float8 DEFAULT NULL,
                           delta float8 DEFAULT NULL, loss text DEFAULT NULL, lambda float8 DEFAULT NULL,
                           options jsonb DEFAULT '{}') RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.plan(dataset, (options || jsonb_strip_nulls(jsonb_build_object('method', method, 'epsilon', epsilon,
      'delta', delta, 'loss', loss, 'lambda', lambda)))::text)::jsonb;
  END;
COMMENT ON FUNCTION sotto.plan IS
  'what a training would promise and cost; free, reads no row
Example: SELECT sotto.plan(''shop'', epsilon => 1);';

CREATE FUNCTION sotto.train(dataset text, method text DEFAULT NULL, epsilon float8 DEFAULT NULL,
                            delta float8 DEFAULT NULL, loss text DEFAULT NULL, lambda float8 DEFAULT NULL,
                            options jsonb DEFAULT '{}') RETURNS int8
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.train(dataset, (options || jsonb_strip_nulls(jsonb_build_object('method', method, 'epsilon', epsilon,
      'delta', delta, 'loss', loss, 'lambda', lambda)))::text);
  END;
COMMENT ON FUNCTION sotto.train IS
  'charges the budget for good, then trains; the number of the released model
Example: SELECT sotto.train(''shop'', epsilon => 1);';

-- Of a row the columns of the model are read, by functions of the server's own; no cast of anybody's is run.
CREATE FUNCTION sotto.predict(model int8, x anyelement) RETURNS text
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pg_sotto_predict';
COMMENT ON FUNCTION sotto.predict IS
  'the class of a row: a row of a table, an array of numbers, or jsonb
Example: SELECT sotto.predict(1, c) FROM customers c;';
CREATE FUNCTION sotto.predict_proba(model int8, x anyelement) RETURNS float8[]
  LANGUAGE C STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pg_sotto_predict_proba';
COMMENT ON FUNCTION sotto.predict_proba IS
  'the probability of each class, two being negative, positive
Example: SELECT sotto.predict_proba(1, c) FROM customers c;';

CREATE FUNCTION sotto.evaluate(model int8, source regclass) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.evaluate(m.id, source, d.label, d.columns::text)::jsonb
    FROM sotto.models m JOIN sotto.datasets d ON d.name = m.dataset WHERE m.id = model;
  END;
COMMENT ON FUNCTION sotto.evaluate IS
  'figures without noise on a table its caller may read: NOT PRIVATE
Example: SELECT sotto.evaluate(1, ''customers'');';

CREATE FUNCTION sotto.privacy_card(model int8) RETURNS jsonb
  LANGUAGE sql STABLE PARALLEL RESTRICTED
  BEGIN ATOMIC
    SELECT (sotto.model_text(model)::jsonb) -> 'card';
  END;
COMMENT ON FUNCTION sotto.privacy_card IS
  'what a model promises, how, and by which theorem
Example: SELECT jsonb_pretty(sotto.privacy_card(1));';

CREATE FUNCTION sotto.verify(dataset text) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.verify(dataset)::jsonb;
  END;
COMMENT ON FUNCTION sotto.verify IS
  'replays the whole ledger and compares it with its anchor
Example: SELECT sotto.verify(''shop'');';

CREATE FUNCTION sotto_internal.tune(dataset text, request text, public_source regclass) RETURNS int8
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000 SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_tune';

CREATE FUNCTION sotto.tune(dataset text, grid jsonb, tune_by text DEFAULT NULL, method text DEFAULT NULL,
                           epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, loss text DEFAULT NULL,
                           lambda float8 DEFAULT NULL, public_source regclass DEFAULT NULL,
                           options jsonb DEFAULT '{}') RETURNS int8
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.tune(dataset, (options || jsonb_strip_nulls(jsonb_build_object('grid', grid, 'tune_by', tune_by,
      'method', method, 'epsilon', epsilon, 'delta', delta, 'loss', loss, 'lambda', lambda)))::text,
      coalesce(public_source, 0::oid::regclass));
  END;
COMMENT ON FUNCTION sotto.tune IS
  'finds parameters privately and trains with them; all of it is charged as one entry
tune_by is random_stopping (the default, which needs a delta above 0), parts (each setting on a part of the rows), or public (on the rows of public_source, free)
Example: SELECT sotto.tune(''shop'', ''{"lambda": [0.001, 0.01]}'', tune_by => ''parts'', method => ''bolt_on'', epsilon => 1);';

-- The text of a value of a type whose text no setting changes; without a collation, so that a shard may compute it.
CREATE FUNCTION sotto.cell(anyelement) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_cell';

COMMENT ON FUNCTION sotto.cell IS
  'a value as the aggregates take it
Example: SELECT sotto.train_cells(''shop'', ''{"epsilon": 1}'', sotto.cell(age), sotto.cell(home), sotto.cell(buys)) FROM customers;';

-- Training over the rows of a query. The states are no values: they hold rows, and nothing gives them out.
CREATE FUNCTION sotto_internal.collect_cells(internal, dataset text, request jsonb, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_cells';
CREATE FUNCTION sotto_internal.collect_array(internal, dataset text, request jsonb, label bytea, x float8[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_array';
CREATE FUNCTION sotto_internal.collect_array(internal, dataset text, request jsonb, label bytea, x float4[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_array';
CREATE FUNCTION sotto_internal.train_final(internal) RETURNS int8
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_train_final';
CREATE FUNCTION sotto_internal.shard_collect_cells(internal, task bytea, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_cells';
CREATE FUNCTION sotto_internal.shard_collect_array(internal, task bytea, label bytea, x float8[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_array';
CREATE FUNCTION sotto_internal.shard_collect_array(internal, task bytea, label bytea, x float4[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_array';
CREATE FUNCTION sotto_internal.shard_final(internal) RETURNS bytea
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_final';

CREATE AGGREGATE sotto.train_cells(dataset text, request jsonb, VARIADIC cells bytea[]) (
  SFUNC = sotto_internal.collect_cells, STYPE = internal, FINALFUNC = sotto_internal.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.train_array(dataset text, request jsonb, label bytea, x float8[]) (
  SFUNC = sotto_internal.collect_array, STYPE = internal, FINALFUNC = sotto_internal.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.train_array(dataset text, request jsonb, label bytea, x float4[]) (
  SFUNC = sotto_internal.collect_array, STYPE = internal, FINALFUNC = sotto_internal.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto_internal.shard_cells(task bytea, VARIADIC cells bytea[]) (
  SFUNC = sotto_internal.shard_collect_cells, STYPE = internal, FINALFUNC = sotto_internal.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto_internal.shard_array(task bytea, label bytea, x float8[]) (
  SFUNC = sotto_internal.shard_collect_array, STYPE = internal, FINALFUNC = sotto_internal.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto_internal.shard_array(task bytea, label bytea, x float4[]) (
  SFUNC = sotto_internal.shard_collect_array, STYPE = internal, FINALFUNC = sotto_internal.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
COMMENT ON AGGREGATE sotto.train_cells(text, jsonb, VARIADIC bytea[]) IS
  'trains on the rows of a query, in any order, charged to the ledger of a data set
Example: SELECT sotto.train_cells(''shop'', ''{"epsilon": 1}'', sotto.cell(age), sotto.cell(home), sotto.cell(buys)) FROM customers;';
COMMENT ON AGGREGATE sotto.train_array(text, jsonb, bytea, float8[]) IS
  'the same for a label and an array of numbers
Example: SELECT sotto.train_array(''points'', ''{"epsilon": 1}'', sotto.cell(y), x) FROM points;';
COMMENT ON AGGREGATE sotto.train_array(text, jsonb, bytea, float4[]) IS
  'the same for a label and an array of numbers
Example: SELECT sotto.train_array(''points'', ''{"epsilon": 1}'', sotto.cell(y), x) FROM points;';

CREATE FUNCTION sotto_internal.train_table(dataset text, request jsonb) RETURNS int8
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000 SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_train_table';
CREATE FUNCTION sotto.train_table(dataset text, method text DEFAULT NULL, epsilon float8 DEFAULT NULL,
                                  delta float8 DEFAULT NULL, loss text DEFAULT NULL, lambda float8 DEFAULT NULL,
                                  options jsonb DEFAULT '{}') RETURNS int8
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.train_table(dataset, options || jsonb_strip_nulls(jsonb_build_object('method', method, 'epsilon',
      epsilon, 'delta', delta, 'loss', loss, 'lambda', lambda)));
  END;
COMMENT ON FUNCTION sotto.train_table IS
  'the aggregate over the source of a data set, for those who may read it
Example: SELECT sotto.train_table(''shop'', epsilon => 1);';

-- How a model does on the rows of a query: whole numbers only, so that any number of workers gives the same bits.
CREATE FUNCTION sotto_internal.score_cells(internal, model int8, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_cells';
CREATE FUNCTION sotto_internal.score_array(internal, model int8, label bytea, x float8[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_array';
CREATE FUNCTION sotto_internal.score_array(internal, model int8, label bytea, x float4[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_array';
CREATE FUNCTION sotto_internal.score_combine(internal, internal) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_combine';
CREATE FUNCTION sotto_internal.score_serialize(internal) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_serialize';
CREATE FUNCTION sotto_internal.score_deserialize(bytea, internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_deserialize';
CREATE FUNCTION sotto_internal.score_final(internal) RETURNS text
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_final';

CREATE AGGREGATE sotto.score_cells(model int8, VARIADIC cells bytea[]) (
  SFUNC = sotto_internal.score_cells, STYPE = internal, FINALFUNC = sotto_internal.score_final, COMBINEFUNC = sotto_internal.score_combine,
  SERIALFUNC = sotto_internal.score_serialize, DESERIALFUNC = sotto_internal.score_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE sotto.score_array(model int8, label bytea, x float8[]) (
  SFUNC = sotto_internal.score_array, STYPE = internal, FINALFUNC = sotto_internal.score_final, COMBINEFUNC = sotto_internal.score_combine,
  SERIALFUNC = sotto_internal.score_serialize, DESERIALFUNC = sotto_internal.score_deserialize, PARALLEL = SAFE);
CREATE AGGREGATE sotto.score_array(model int8, label bytea, x float4[]) (
  SFUNC = sotto_internal.score_array, STYPE = internal, FINALFUNC = sotto_internal.score_final, COMBINEFUNC = sotto_internal.score_combine,
  SERIALFUNC = sotto_internal.score_serialize, DESERIALFUNC = sotto_internal.score_deserialize, PARALLEL = SAFE);
COMMENT ON AGGREGATE sotto.score_cells(int8, VARIADIC bytea[]) IS
  'figures without noise on rows its caller may read, by parallel workers: NOT PRIVATE
Example: SELECT sotto.score_cells(1, sotto.cell(age), sotto.cell(home), sotto.cell(buys)) FROM customers;';
COMMENT ON AGGREGATE sotto.score_array(int8, bytea, float8[]) IS
  'the same for a label and an array of numbers: NOT PRIVATE
Example: SELECT sotto.score_array(1, sotto.cell(y), x) FROM points;';
COMMENT ON AGGREGATE sotto.score_array(int8, bytea, float4[]) IS
  'the same for a label and an array of numbers: NOT PRIVATE
Example: SELECT sotto.score_array(1, sotto.cell(y), x) FROM points;';

-- FROM t TABLESAMPLE sotto.keyed(part, parts) REPEATABLE (key): whoever may read the table may read it in any order.
CREATE FUNCTION sotto.keyed(internal) RETURNS tsm_handler
  LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_keyed';
COMMENT ON FUNCTION sotto.keyed IS
  'TABLESAMPLE method: all rows, or one of some disjoint shares, in a keyed order of pages and of rows in them
Example: SELECT * FROM points TABLESAMPLE sotto.keyed(0, 1) REPEATABLE (42);';

-- Signatures: whether a model is byte for byte what the ledger of a public key released.
CREATE FUNCTION sotto.public_key(dataset text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_public_key';
COMMENT ON FUNCTION sotto.public_key IS
  'the key, in PEM, by which anyone can check what the ledger of a data set released
Example: SELECT sotto.public_key(''shop'');';
CREATE FUNCTION sotto.verify_model(model text, key text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_verify_model';
COMMENT ON FUNCTION sotto.verify_model IS
  'whether the ledger of this public key signed exactly this text of a model
Example: SELECT sotto.verify_model(sotto.model_text(1), sotto.public_key(''shop''));';

CREATE FUNCTION sotto.grant_share(dataset text, analyst regrole, share float8) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_grant_share';
COMMENT ON FUNCTION sotto.grant_share IS
  'lets an analyst spend this share of a budget, 0 to 1, and no more
Example: SELECT sotto.grant_share(''shop'', ''ann'', 0.25);';

CREATE FUNCTION sotto.lower_budget(dataset text, epsilon float8, delta float8 DEFAULT NULL) RETURNS void
  LANGUAGE C VOLATILE PARALLEL UNSAFE SET extra_float_digits = 1 AS 'MODULE_PATHNAME', 'pg_sotto_lower_budget';
COMMENT ON FUNCTION sotto.lower_budget IS
  'lowers the budget of a data set, for good once something was charged; what was spent stays spent, and delta stays unless it is given
Example: SELECT sotto.lower_budget(''shop'', 1);';

-- What was seen in the rows is for those who may read them: curators, with their own rights.
CREATE FUNCTION sotto_internal.draft(source regclass, label text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1 AS 'MODULE_PATHNAME', 'pg_sotto_draft';
CREATE FUNCTION sotto.draft(source regclass, label text) RETURNS jsonb
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto_internal.draft(source, label)::jsonb;
  END;
COMMENT ON FUNCTION sotto.draft IS
  'suggests features and options for register from all rows of a table, for its holder to correct and confirm: NOT FOR RELEASE
Example: SELECT jsonb_pretty(sotto.draft(''customers'', label => ''buys''));';

CREATE FUNCTION sotto.version() RETURNS text
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_version';
COMMENT ON FUNCTION sotto.version IS 'the version of the library
Example: SELECT sotto.version();';

CREATE FUNCTION sotto_internal.catalogue(topic text) RETURNS text
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_help';
-- From the comments on what is public here, and from the catalogue of the library.
CREATE FUNCTION sotto.help(topic text DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT CASE WHEN topic IS NULL
      THEN E'Private linear models of tables. A curator registers a table with a budget; analysts train within it.\n\n' ||
           string_agg(names.line, E'\n' ORDER BY names.place, names.name) ||
           E'\n\nMore of each: SELECT sotto.help(''train''). A method, loss or step: SELECT sotto.help(''dpgd'')'
      ELSE coalesce(string_agg(nullif(names.whole, ''), E'\n\n' ORDER BY names.place) || E'\n', '') ||
           coalesce(nullif(sotto_internal.catalogue(topic), ''),
                    CASE WHEN count(names.name) = 0 THEN 'There is no function, view, method, loss or step "' || topic ||
                                                       '". SELECT sotto.help() lists the functions and views.'
                         ELSE '' END)
      END
    FROM (SELECT 1 AS place, p.proname::text AS name,
                 'sotto.' || p.proname || ': ' || split_part(obj_description(p.oid, 'pg_proc'), E'\n', 1) AS line,
                 'sotto.' || p.proname || '(' || pg_get_function_arguments(p.oid) || E')\n' ||
                   obj_description(p.oid, 'pg_proc') AS whole
          FROM pg_proc p WHERE p.pronamespace = 'sotto'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NOT NULL
          UNION
          SELECT 2, c.relname::text,
                 'view sotto.' || c.relname || ': ' || split_part(obj_description(c.oid, 'pg_class'), E'\n', 1),
                 'view sotto.' || c.relname || E'\n' || obj_description(c.oid, 'pg_class')
          FROM pg_class c WHERE c.relnamespace = 'sotto'::regnamespace AND c.relkind = 'v') names
    WHERE topic IS NULL OR names.name = topic;
  END;
COMMENT ON FUNCTION sotto.help IS 'what there is, or one function, view, method, loss or step schedule in words
Example: SELECT sotto.help(''train'');';

COMMENT ON VIEW sotto.datasets IS 'what was declared of registered tables
Example: SELECT name, rows, columns FROM sotto.datasets;';
COMMENT ON VIEW sotto.budget IS 'how much of each budget is used and what still fits, in percent and epsilon; then in the currency of its filter
Example: SELECT dataset, percent_used, fits_epsilon, fits_delta FROM sotto.budget;';
COMMENT ON VIEW sotto.models IS 'the released models; id is the number that functions call model
Example: SELECT id, dataset, method, epsilon FROM sotto.models;';
COMMENT ON VIEW sotto.coefficients IS 'the weights of released models by the names of their features
Example: SELECT feature, weight FROM sotto.coefficients WHERE model = 1 ORDER BY abs(weight) DESC;';

-- The library is in this session from here on, with its settings: ALTER SYSTEM SET sotto.anchor_directory knows them.
SELECT sotto.version();

-- Whatever ALTER DEFAULT PRIVILEGES gave away for all that is made: what was made here is its owner's alone, until the
-- grants below. Whoever reads the tables could sign models; whoever writes them could spend and refund.
DO $$
DECLARE
  made record;
  other oid;
BEGIN
  FOR made IN
    SELECT 'SCHEMA ' || quote_ident(nspname) AS name, nspowner AS owner, coalesce(nspacl, acldefault('n', nspowner)) AS acl
      FROM pg_namespace WHERE nspname IN ('sotto', 'sotto_internal', 'sotto_data')
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::regclass, relowner,
           coalesce(relacl, acldefault('r', relowner)) ||
             coalesce((SELECT array_agg(item) FROM pg_attribute, unnest(attacl) item WHERE attrelid = c.oid), '{}')
      FROM pg_class c WHERE relnamespace = 'sotto'::regnamespace AND relkind IN ('r', 'v', 'S')
    UNION ALL
    SELECT 'FUNCTION ' || p.oid::regprocedure, proowner, coalesce(proacl, acldefault('f', proowner))
      FROM pg_proc p WHERE pronamespace IN ('sotto'::regnamespace, 'sotto_internal'::regnamespace)
  LOOP
    FOR other IN SELECT DISTINCT grantee FROM aclexplode(made.acl) WHERE grantee <> made.owner LOOP
      EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', made.name,
                     CASE other WHEN 0 THEN 'PUBLIC' ELSE other::regrole::text END);
    END LOOP;
    EXECUTE format('GRANT ALL ON %s TO %s', made.name, made.owner::regrole);
  END LOOP;
END
$$;

-- Who may see and call what. Whether a ledger takes these rows is an answer about the rows it was made for: curators only.
-- Functions that are written in SQL find what they call without a right on its schema; curators are asked by other servers
-- for the sums of their shards.
GRANT USAGE ON SCHEMA sotto TO sotto_owner, sotto_curator, sotto_analyst;
GRANT USAGE ON SCHEMA sotto_internal TO sotto_owner, sotto_curator;
GRANT SELECT ON sotto.datasets, sotto.budget, sotto.models, sotto.coefficients TO sotto_curator, sotto_analyst;
GRANT EXECUTE ON FUNCTION sotto.plan, sotto.train, sotto.tune, sotto.predict, sotto.predict_proba, sotto.evaluate,
  sotto.privacy_card, sotto.model_text, sotto.cell, sotto.score_cells, sotto.score_array(int8, bytea, float8[]),
  sotto.score_array(int8, bytea, float4[]), sotto.keyed, sotto.public_key, sotto.verify_model, sotto.help, sotto.version,
  sotto_internal.plan, sotto_internal.train, sotto_internal.tune, sotto_internal.evaluate, sotto_internal.catalogue,
  sotto_internal.budget_words, sotto_internal.coefficients
  TO sotto_analyst, sotto_curator;
GRANT EXECUTE ON FUNCTION sotto.draft, sotto.register, sotto.refresh, sotto.unregister, sotto.verify, sotto.grant_share,
  sotto.lower_budget, sotto.train_cells, sotto.train_array(text, jsonb, bytea, float8[]),
  sotto.train_array(text, jsonb, bytea, float4[]), sotto.train_table, sotto_internal.draft, sotto_internal.register,
  sotto_internal.verify, sotto_internal.train_table, sotto_internal.shard_cells,
  sotto_internal.shard_array(bytea, bytea, float8[]), sotto_internal.shard_array(bytea, bytea, float4[])
  TO sotto_curator;
GRANT EXECUTE ON FUNCTION sotto.move_ledger TO sotto_owner;
