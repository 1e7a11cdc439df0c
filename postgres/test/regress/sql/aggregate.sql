-- A table without a packed copy: the aggregate, for those who may read it.
CREATE TABLE loose AS SELECT * FROM customers WHERE id <= 500;
GRANT SELECT ON loose TO curator;
SET ROLE curator;
SELECT sotto.register('loose', 'loose', 'buys', '{"age": [20, 80], "home": ["city", "town", "farm"]}', epsilon => 5, delta => 1e-6,
  options => '{"positive": ["yes"], "negative": ["no"], "data_norm": 2, "filter": "sum", "layout": "unpacked"}') > 0 AS registered;
SELECT sotto.train_cells('loose', '{"epsilon": 1, "lambda": 0.1}', sotto.cell(age), sotto.cell(home), sotto.cell(buys)) > 0 AS trained
FROM (SELECT * FROM loose ORDER BY age) t;
EXPLAIN (COSTS OFF) SELECT sotto.train_cells('loose', '{"epsilon": 1, "lambda": 0.1}', sotto.cell(age), sotto.cell(home),
  sotto.cell(buys)) FROM loose;
SELECT sotto.train_table('loose', epsilon => 1, lambda => 0.2) > 0 AS trained;
SELECT dataset, spent, charged, released FROM sotto.budget WHERE dataset = 'loose';
SELECT sotto.train_cells('loose', '{"epsilon": 1}', sotto.cell(age), sotto.cell(home), sotto.cell(buys)) FROM loose WHERE age > 30;
SELECT sotto.train_cells('loose', '{"epsilon": 1}', sotto.cell(age), sotto.cell(home), sotto.cell(buys)) OVER () FROM loose;
SELECT sotto.train('loose', epsilon => 1);
SET ROLE analyst;
SELECT sotto.train_table('loose', epsilon => 1);
RESET ROLE;
SELECT s::json ->> 'rows' AS rows, (s::json ->> 'accuracy')::float8 > 0.7 AS good
FROM (SELECT sotto.score_cells(1, sotto.cell(age), sotto.cell(income), sotto.cell(home), sotto.cell(buys)) AS s FROM customers) t;
SELECT convert_from(sotto.cell(0.1::float4), 'UTF8') AS single, convert_from(sotto.cell('a  '::char(4)), 'UTF8') AS padded,
       sotto.cell(NULL::int) IS NULL AS missing;
