\echo Use "ALTER EXTENSION sotto UPDATE" to load this file. \quit

-- Names are those of the server, whoever made what in the schema before.
SET LOCAL search_path TO pg_catalog, pg_temp;

-- A row becomes jsonb by functions of the server's own: of types with a cast to json of somebody's it is refused.
CREATE FUNCTION sotto.plain_row_(anyelement) RETURNS anyelement
  LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_plain_row';
REVOKE ALL ON FUNCTION sotto.plain_row_ FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.plain_row_ TO sotto_analyst, sotto_curator;

CREATE OR REPLACE FUNCTION sotto.predict(model int8, x anyelement) RETURNS text
  LANGUAGE sql STABLE PARALLEL RESTRICTED AS 'SELECT sotto.predict_($1, pg_catalog.to_jsonb(sotto.plain_row_($2)))';
CREATE OR REPLACE FUNCTION sotto.predict_proba(model int8, x anyelement) RETURNS float8[]
  LANGUAGE sql STABLE PARALLEL RESTRICTED
  AS 'SELECT sotto.predict_proba_($1, pg_catalog.to_jsonb(sotto.plain_row_($2)))';
-- Signatures: whether a model is byte for byte what the ledger of a public key released.
CREATE FUNCTION sotto.public_key(dataset text) RETURNS text
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_public_key';
COMMENT ON FUNCTION sotto.public_key IS 'the key, in PEM, by which anyone can check what the ledger of a data set released';
CREATE FUNCTION sotto.verify_model(model text, key text) RETURNS boolean
  LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pg_sotto_verify_model';
COMMENT ON FUNCTION sotto.verify_model IS 'whether the ledger of this public key signed exactly this text of a model';
REVOKE ALL ON FUNCTION sotto.public_key, sotto.verify_model FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.public_key, sotto.verify_model TO sotto_analyst, sotto_curator;

-- A model whose bytes are not those its ledger released shows nothing but that.
CREATE OR REPLACE VIEW sotto.models WITH (security_barrier) AS
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
