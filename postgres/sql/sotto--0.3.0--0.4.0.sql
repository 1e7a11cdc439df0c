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

-- Shares: who was charged is a part of the chain. Records of before name nobody there and count towards no share.
ALTER TABLE sotto.ledger_record ADD COLUMN charged_to text;

CREATE FUNCTION sotto.grant_share(dataset text, analyst regrole, share float8) RETURNS void
  LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pg_sotto_grant_share';
COMMENT ON FUNCTION sotto.grant_share IS 'lets an analyst spend this share of a budget, 0 to 1, and no more';
REVOKE ALL ON FUNCTION sotto.grant_share FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sotto.grant_share TO sotto_curator;

CREATE OR REPLACE FUNCTION sotto.register(dataset text, source regclass, label text, features json, epsilon float8,
                                          delta float8 DEFAULT 0, options jsonb DEFAULT '{}') RETURNS int4
  LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE SET extra_float_digits = 1
  BEGIN ATOMIC
    SELECT sotto.register_(dataset, source, label, features::text,
      (options - '{filter,rdp_order,unit,layout,analyst_share}'::text[])::text,
      jsonb_strip_nulls(jsonb_build_object('budget_epsilon', epsilon, 'budget_delta', delta,
        'filter', options -> 'filter', 'rdp_order', options -> 'rdp_order', 'unit', options -> 'unit',
        'analyst_share', options -> 'analyst_share'))::text,
      coalesce(options ->> 'layout', 'packed'));
  END;

-- Totals and limits as the records have them, which every training replays; and what is the caller's own of it.
CREATE OR REPLACE VIEW sotto.budget WITH (security_barrier) AS
  SELECT d.name AS dataset, (t.terms ->> 'epsilon')::float8 AS epsilon, (t.terms ->> 'delta')::float8 AS delta,
         t.terms ->> 'relation' AS relation, t.terms ->> 'filter' AS filter,
         (l.spent_loss / 1e12)::numeric(30, 12) AS spent,
         (t.limit_loss / 1e12)::numeric(30, 12) AS "limit",
         ((t.limit_loss - l.spent_loss) / 1e12)::numeric(30, 12) AS remaining,
         (l.spent_delta / 1e18)::numeric(30, 18) AS spent_delta,
         ((t.terms ->> 'limit_delta')::int8 / 1e18)::numeric(30, 18) AS limit_delta,
         (SELECT count(*) FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.kind = 'reserved') AS charged,
         (SELECT count(*) FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.kind = 'released') AS released,
         (s.millionths / 1e6)::numeric(7, 6) AS share,
         (o.spent_loss / 1e12)::numeric(30, 12) AS own_spent,
         (greatest(least(s.limit_loss - o.spent_loss, t.limit_loss - l.spent_loss), 0) / 1e12)::numeric(30, 12)
           AS own_remaining,
         (ceil(t.limit_loss / 1e4) / 1e12)::numeric(30, 12) AS smallest_price
  FROM sotto.dataset d
    CROSS JOIN LATERAL (SELECT r.detail::json AS terms, (r.detail::json ->> 'limit_loss')::int8 AS limit_loss
                        FROM sotto.ledger_record r WHERE r.ledger = d.ledger AND r.sequence = 0) t
    CROSS JOIN LATERAL (SELECT r.spent_loss, r.spent_delta FROM sotto.ledger_record r WHERE r.ledger = d.ledger
                        ORDER BY r.sequence DESC LIMIT 1) l
    CROSS JOIN LATERAL (SELECT g.millionths, trunc(t.limit_loss::numeric * g.millionths / 1000000) AS limit_loss
                        FROM (SELECT coalesce(
                                (SELECT (r.detail::json ->> 'millionths')::int8 FROM sotto.ledger_record r
                                 WHERE r.ledger = d.ledger AND session_user::text =
                                   CASE WHEN r.kind = 'granted' THEN r.detail::json ->> 'analyst' END
                                 ORDER BY r.sequence DESC LIMIT 1),
                                (t.terms ->> 'analyst_share')::int8, 1000000) AS millionths) g) s
    CROSS JOIN LATERAL (SELECT coalesce(sum(r.cost_loss), 0) AS spent_loss FROM sotto.ledger_record r
                        WHERE r.ledger = d.ledger AND r.kind = 'reserved' AND r.charged_to = session_user::text
                          AND NOT EXISTS (SELECT 1 FROM sotto.ledger_record v WHERE v.ledger = r.ledger
                                          AND v.entry = r.entry AND v.kind = 'voided')) o;

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
