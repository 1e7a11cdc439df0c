-- Registering, planning, training, predicting.
SET ROLE curator;
SELECT sotto.register('shop', 'customers', 'buys', '{"age": [20, 80], "income": [0, 100], "home": ["city", "town", "farm"]}',
  epsilon => 100, delta => 1e-6,
  options => '{"positive": ["yes"], "negative": ["no"], "intercept": 1, "data_norm": 2, "filter": "sum"}');
SELECT name, rows, features, classes, data_norm, label, columns FROM sotto.datasets;
SET ROLE analyst;
SELECT p ->> 'method' AS method, p #>> '{facts,rows}' AS rows, p #>> '{budget,fits}' AS fits,
       p #>> '{budget,currency}' AS currency, p #>> '{guarantee,epsilon}' AS epsilon
FROM sotto.plan('shop', epsilon => 1, lambda => 0.01) p;
SELECT sotto.train('shop', method => 'bolt_on', epsilon => 40, lambda => 0.01) AS model;
SELECT sotto.train('shop', method => 'bolt_on', epsilon => 40, lambda => 0.01) AS the_same_model;
SELECT id, dataset, method, loss, epsilon, private, jsonb_array_length(weights) AS weights, analyst FROM sotto.models;
SELECT dataset, epsilon, spent, remaining, charged, released FROM sotto.budget;
SELECT sotto.predict(1, '{"age": 78, "income": 95, "home": "city"}'::jsonb) AS rich_and_old,
       sotto.predict(1, '{"age": 21, "income": 5, "home": "city"}'::jsonb) AS poor_and_young;
SELECT array_length(sotto.predict_proba(1, '{"age": 78, "income": 95, "home": "moon"}'::jsonb), 1) AS classes;
SELECT c ->> 'private' AS private, c ->> 'relation' AS relation, c #>> '{budget,enforced}' AS enforced
FROM sotto.privacy_card(1) c;
SELECT sotto.tune('shop', '{"lambda": [0.01, 0.1]}', tune_by => 'parts', method => 'bolt_on', epsilon => 20) AS model;
-- What is refused, and that it is free.
SELECT sotto.train('shop', method => 'bolt_on', epsilon => 200);
SELECT sotto.train('shop', method => 'noiseless', epsilon => 1);
SELECT sotto.train('shop', method => 'magic', epsilon => 1);
SELECT sotto.train('shop', epsilon => -1);
SELECT sotto.train('shop', epsilon => 1, options => '{"colour": "red"}');
SELECT sotto.train('nothing', epsilon => 1);
SELECT sotto.predict(1, '{"age": 78}'::jsonb);
SELECT sotto.predict(99, '{}'::jsonb);
SELECT dataset, spent, charged, released FROM sotto.budget;
RESET ROLE;
SELECT e ->> 'rows' AS rows, (e ->> 'accuracy')::float8 > 0.75 AS good, e ->> 'private' AS private
FROM sotto.evaluate(1, 'customers') e;
