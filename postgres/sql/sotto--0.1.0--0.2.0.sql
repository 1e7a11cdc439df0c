\echo Use "ALTER EXTENSION sotto UPDATE" to load this file. \quit

-- Names are those of the server, whoever made what in the schema before.
SET LOCAL search_path TO pg_catalog, pg_temp;

CREATE FUNCTION sotto.tune_(dataset text, request text, public_source regclass) RETURNS int8
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000 SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_tune';

CREATE FUNCTION sotto.tune(dataset text, grid jsonb, tune_by text DEFAULT NULL, method text DEFAULT NULL,
                           epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL, loss text DEFAULT NULL,
                           lambda float8 DEFAULT NULL, public_source regclass DEFAULT NULL,
                           options jsonb DEFAULT '{}') RETURNS int8
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto.tune_(dataset, (options || jsonb_strip_nulls(jsonb_build_object('grid', grid, 'tune_by', tune_by,
      'method', method, 'epsilon', epsilon, 'delta', delta, 'loss', loss, 'lambda', lambda)))::text,
      coalesce(public_source, 0::oid::regclass));
  END;
COMMENT ON FUNCTION sotto.tune IS 'finds parameters privately and trains with them; all of it is charged as one entry';

REVOKE ALL ON FUNCTION sotto.tune, sotto.tune_ FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.tune, sotto.tune_ TO sotto_analyst, sotto_curator;

-- Data sets without a packed copy: trained on by an aggregate (unpacked), or where their shards are (sharded).
ALTER TABLE sotto.dataset ADD COLUMN layout text NOT NULL DEFAULT 'packed',
  ADD COLUMN curator text,
  ADD CHECK (layout IN ('packed', 'unpacked', 'sharded'));

CREATE TABLE sotto.shard (
  dataset int4 NOT NULL REFERENCES sotto.dataset,
  place int4 NOT NULL,
  value text NOT NULL,
  row_count int8 NOT NULL CHECK (row_count > 0),
  fingerprint text NOT NULL,
  PRIMARY KEY (dataset, place),
  UNIQUE (dataset, value)
);
ALTER TABLE sotto.shard OWNER TO sotto_owner;
REVOKE ALL ON sotto.shard FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('sotto.shard', '');

CREATE FUNCTION sotto.register_(dataset text, source regclass, label text, features text, options text, budget text,
                                layout text)
  RETURNS int4 LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1
  AS 'MODULE_PATHNAME', 'pg_sotto_register';

CREATE OR REPLACE FUNCTION sotto.register(dataset text, source regclass, label text, features json, epsilon float8,
                                          delta float8 DEFAULT 0, options jsonb DEFAULT '{}') RETURNS int4
  LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto.register_(dataset, source, label, features::text,
      (options - '{filter,rdp_order,unit,layout}'::text[])::text,
      jsonb_strip_nulls(jsonb_build_object('budget_epsilon', epsilon, 'budget_delta', delta,
        'filter', options -> 'filter', 'rdp_order', options -> 'rdp_order', 'unit', options -> 'unit'))::text,
      coalesce(options ->> 'layout', 'packed'));
  END;
DROP FUNCTION sotto.register_(text, regclass, text, text, text, text);

-- The text of a value of a type whose text no setting changes; without a collation, so that a shard may compute it.
CREATE FUNCTION sotto.cell(anyelement) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_cell';

-- Training over the rows of a query. The states are no values: they hold rows, and nothing gives them out.
CREATE FUNCTION sotto.collect_cells(internal, dataset text, request jsonb, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_cells';
CREATE FUNCTION sotto.collect_array(internal, dataset text, request jsonb, label bytea, x float8[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_array';
CREATE FUNCTION sotto.collect_array(internal, dataset text, request jsonb, label bytea, x float4[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_collect_array';
CREATE FUNCTION sotto.train_final(internal) RETURNS int8
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_train_final';
CREATE FUNCTION sotto.shard_collect_cells(internal, task bytea, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_cells';
CREATE FUNCTION sotto.shard_collect_array(internal, task bytea, label bytea, x float8[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_array';
CREATE FUNCTION sotto.shard_collect_array(internal, task bytea, label bytea, x float4[]) RETURNS internal
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_array';
CREATE FUNCTION sotto.shard_final(internal) RETURNS bytea
  LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_shard_final';

CREATE AGGREGATE sotto.train_cells(dataset text, request jsonb, VARIADIC cells bytea[]) (
  SFUNC = sotto.collect_cells, STYPE = internal, FINALFUNC = sotto.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.train_array(dataset text, request jsonb, label bytea, x float8[]) (
  SFUNC = sotto.collect_array, STYPE = internal, FINALFUNC = sotto.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.train_array(dataset text, request jsonb, label bytea, x float4[]) (
  SFUNC = sotto.collect_array, STYPE = internal, FINALFUNC = sotto.train_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.shard_cells(task bytea, VARIADIC cells bytea[]) (
  SFUNC = sotto.shard_collect_cells, STYPE = internal, FINALFUNC = sotto.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.shard_array(task bytea, label bytea, x float8[]) (
  SFUNC = sotto.shard_collect_array, STYPE = internal, FINALFUNC = sotto.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
CREATE AGGREGATE sotto.shard_array(task bytea, label bytea, x float4[]) (
  SFUNC = sotto.shard_collect_array, STYPE = internal, FINALFUNC = sotto.shard_final, FINALFUNC_MODIFY = READ_WRITE,
  PARALLEL = UNSAFE);
COMMENT ON AGGREGATE sotto.train_cells(text, jsonb, VARIADIC bytea[]) IS
  'trains on the rows of a query, charged to the ledger of a data set; in any order';

CREATE FUNCTION sotto.train_table_(dataset text, request jsonb) RETURNS int8
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000000 AS 'MODULE_PATHNAME', 'pg_sotto_train_table';
CREATE FUNCTION sotto.train_table(dataset text, method text DEFAULT NULL, epsilon float8 DEFAULT NULL,
                                  delta float8 DEFAULT NULL, loss text DEFAULT NULL, lambda float8 DEFAULT NULL,
                                  options jsonb DEFAULT '{}') RETURNS int8
  LANGUAGE sql VOLATILE PARALLEL UNSAFE
  BEGIN ATOMIC
    SELECT sotto.train_table_(dataset, options || jsonb_strip_nulls(jsonb_build_object('method', method, 'epsilon',
      epsilon, 'delta', delta, 'loss', loss, 'lambda', lambda)));
  END;
COMMENT ON FUNCTION sotto.train_table IS 'the aggregate over the source of a data set, for those who may read it';

-- Curators: whether a ledger takes these rows is an answer about the rows it was made for.
REVOKE ALL ON FUNCTION sotto.register_(text, regclass, text, text, text, text, text), sotto.cell, sotto.collect_cells,
  sotto.collect_array(internal, text, jsonb, bytea, float8[]), sotto.collect_array(internal, text, jsonb, bytea, float4[]),
  sotto.train_final, sotto.shard_collect_cells, sotto.shard_collect_array(internal, bytea, bytea, float8[]),
  sotto.shard_collect_array(internal, bytea, bytea, float4[]), sotto.shard_final,
  sotto.train_cells(text, jsonb, VARIADIC bytea[]), sotto.train_array(text, jsonb, bytea, float8[]),
  sotto.train_array(text, jsonb, bytea, float4[]), sotto.shard_cells(bytea, VARIADIC bytea[]),
  sotto.shard_array(bytea, bytea, float8[]), sotto.shard_array(bytea, bytea, float4[]), sotto.train_table,
  sotto.train_table_ FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.register_(text, regclass, text, text, text, text, text), sotto.cell,
  sotto.train_cells(text, jsonb, VARIADIC bytea[]), sotto.train_array(text, jsonb, bytea, float8[]),
  sotto.train_array(text, jsonb, bytea, float4[]), sotto.shard_cells(bytea, VARIADIC bytea[]),
  sotto.shard_array(bytea, bytea, float8[]), sotto.shard_array(bytea, bytea, float4[]), sotto.train_table,
  sotto.train_table_ TO sotto_curator;

-- How a model does on the rows of a query: whole numbers only, so that any number of workers gives the same bits.
CREATE FUNCTION sotto.score_cells_(internal, model int8, VARIADIC cells bytea[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_cells';
CREATE FUNCTION sotto.score_array_(internal, model int8, label bytea, x float8[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_array';
CREATE FUNCTION sotto.score_array_(internal, model int8, label bytea, x float4[]) RETURNS internal
  LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_array';
CREATE FUNCTION sotto.score_combine_(internal, internal) RETURNS internal
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_combine';
CREATE FUNCTION sotto.score_serialize_(internal) RETURNS bytea
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_serialize';
CREATE FUNCTION sotto.score_deserialize_(bytea, internal) RETURNS internal
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_deserialize';
CREATE FUNCTION sotto.score_final_(internal) RETURNS text
  LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_score_final';

CREATE AGGREGATE sotto.score_cells(model int8, VARIADIC cells bytea[]) (
  SFUNC = sotto.score_cells_, STYPE = internal, FINALFUNC = sotto.score_final_, COMBINEFUNC = sotto.score_combine_,
  SERIALFUNC = sotto.score_serialize_, DESERIALFUNC = sotto.score_deserialize_, PARALLEL = SAFE);
CREATE AGGREGATE sotto.score_array(model int8, label bytea, x float8[]) (
  SFUNC = sotto.score_array_, STYPE = internal, FINALFUNC = sotto.score_final_, COMBINEFUNC = sotto.score_combine_,
  SERIALFUNC = sotto.score_serialize_, DESERIALFUNC = sotto.score_deserialize_, PARALLEL = SAFE);
CREATE AGGREGATE sotto.score_array(model int8, label bytea, x float4[]) (
  SFUNC = sotto.score_array_, STYPE = internal, FINALFUNC = sotto.score_final_, COMBINEFUNC = sotto.score_combine_,
  SERIALFUNC = sotto.score_serialize_, DESERIALFUNC = sotto.score_deserialize_, PARALLEL = SAFE);
COMMENT ON AGGREGATE sotto.score_cells(int8, VARIADIC bytea[]) IS
  'figures without noise on rows its caller may read, by parallel workers: NOT PRIVATE';

REVOKE ALL ON FUNCTION sotto.score_cells_, sotto.score_array_(internal, int8, bytea, float8[]),
  sotto.score_array_(internal, int8, bytea, float4[]), sotto.score_combine_, sotto.score_serialize_,
  sotto.score_deserialize_, sotto.score_final_, sotto.score_cells(int8, VARIADIC bytea[]),
  sotto.score_array(int8, bytea, float8[]), sotto.score_array(int8, bytea, float4[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.cell, sotto.score_cells(int8, VARIADIC bytea[]),
  sotto.score_array(int8, bytea, float8[]), sotto.score_array(int8, bytea, float4[]) TO sotto_analyst, sotto_curator;
