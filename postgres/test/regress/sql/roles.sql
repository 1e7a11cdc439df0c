-- Who may do what.
SET ROLE analyst;
SELECT * FROM customers LIMIT 1;
SELECT * FROM sotto.model;
SELECT * FROM sotto.ledger_record;
SELECT sotto.register('mine', 'customers', 'buys', '{"age": [0, 1]}', epsilon => 1);
SELECT sotto.refresh('shop');
SELECT sotto.unregister('shop');
SELECT sotto.verify('shop');
SELECT sotto.move_ledger('shop');
SELECT sotto.evaluate(1, 'customers');
SET ROLE curator;
SELECT sotto.move_ledger('shop');
SELECT v ->> 'models' AS models FROM sotto.verify('shop') v;
SELECT sotto.refresh('shop');
SELECT sotto.unregister('loose');
SELECT name FROM sotto.datasets ORDER BY 1;
RESET ROLE;
