\echo Use "ALTER EXTENSION sotto UPDATE" to load this file. \quit

-- FROM t TABLESAMPLE sotto.keyed(part, parts) REPEATABLE (key): whoever may read the table may read it in any order.
CREATE FUNCTION sotto.keyed(internal) RETURNS tsm_handler
  LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_keyed';
COMMENT ON FUNCTION sotto.keyed IS 'TABLESAMPLE method: all rows, or one of some disjoint shares, in a keyed order of pages and of rows in them';
REVOKE ALL ON FUNCTION sotto.keyed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.keyed TO sotto_analyst, sotto_curator;

-- A number on its way into a request is not rounded by a setting of the session.
ALTER FUNCTION sotto.register(text, regclass, text, json, float8, float8, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.plan(text, text, float8, float8, text, float8, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.plan_(text, text) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train(text, text, float8, float8, text, float8, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train_(text, text) SET extra_float_digits = 1;
ALTER FUNCTION sotto.tune(text, jsonb, text, text, float8, float8, text, float8, regclass, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train_table(text, text, float8, float8, text, float8, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train_table_(text, jsonb) SET extra_float_digits = 1;
