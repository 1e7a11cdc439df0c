-- The extension, roles and a table every test uses.
CREATE EXTENSION sotto;
CREATE TABLE customers AS
SELECT i AS id, (20 + (i * 7919) % 60)::int AS age, ((i * 104729) % 1000) / 10.0::float8 AS income,
       (ARRAY['city', 'town', 'farm'])[1 + (i * 31) % 3] AS home,
       CASE WHEN ((i * 7919) % 60) + ((i * 104729) % 1000) / 20.0 > 55 THEN 'yes' ELSE 'no' END AS buys
FROM generate_series(1, 1000) i;
CREATE ROLE curator LOGIN IN ROLE sotto_curator;
CREATE ROLE analyst LOGIN IN ROLE sotto_analyst;
GRANT SELECT ON customers TO curator;
SELECT extname, extversion, extnamespace::regnamespace AS schema FROM pg_extension WHERE extname = 'sotto';
SELECT viewname, viewowner FROM pg_views WHERE schemaname = 'sotto' ORDER BY 1;
SELECT proname, prokind, pg_get_function_result(oid) AS result, proparallel
FROM pg_proc WHERE pronamespace = 'sotto'::regnamespace AND proname !~ '_$' ORDER BY 1, oid;
