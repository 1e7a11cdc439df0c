\echo Use "ALTER EXTENSION sotto UPDATE" to load this file. \quit

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
