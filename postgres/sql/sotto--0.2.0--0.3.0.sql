\echo Use "ALTER EXTENSION sotto UPDATE" to load this file. \quit

-- Names are those of the server, whoever made what in the schema before.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- FROM t TABLESAMPLE sotto.keyed(part, parts) REPEATABLE (key): whoever may read the table may read it in any order.
CREATE FUNCTION sotto.keyed(internal) RETURNS tsm_handler
  LANGUAGE C STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_keyed';
COMMENT ON FUNCTION sotto.keyed IS 'TABLESAMPLE method: all rows, or one of some disjoint shares, in a keyed order of pages and of rows in them';
REVOKE ALL ON FUNCTION sotto.keyed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.keyed TO sotto_analyst, sotto_curator;

-- A setting of the session rounds no budget. What only asks keeps the digits it was asked with: they are what is charged.
ALTER FUNCTION sotto.register(text, regclass, text, json, float8, float8, jsonb) SET extra_float_digits = 1;
ALTER FUNCTION sotto.plan_(text, text) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train_(text, text) SET extra_float_digits = 1;
ALTER FUNCTION sotto.train_table_(text, jsonb) SET extra_float_digits = 1;
