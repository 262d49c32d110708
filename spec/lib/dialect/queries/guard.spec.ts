// Which sampled statements may be explained, and which may run: none that changes data is accepted.
import { expect } from 'chai'
import { judgeStatement } from '../../../../lib/dialect/queries/guard.js'
import { cutStatement } from '../../../../lib/dialect/queries/tokens.js'
import type { Flavour } from '../../../../lib/model/server/version.js'

const verdict = (statement: string, flavour: Flavour = 'mariadb'): string => {
  const judged = judgeStatement(statement, flavour)
  return judged.ok ? judged.value.kind : judged.failure.message
}

describe('judgeStatement', () => {
  const reads = [
    'SELECT 1',
    'select * from orders where note = "a;b" and id in (1, 2)',
    `SELECT 'it''s; DROP TABLE x', "a\\"; b", \`odd;name\` FROM t`,
    'SELECT COUNT(*), MAX(id) FROM shop.orders GROUP BY note HAVING COUNT(*) > 1;',
    '(SELECT 1) UNION (SELECT 2) ORDER BY 1',
    'WITH c (a) AS (SELECT 1) SELECT * FROM c',
    'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT SUM(i) FROM n',
    'SELECT * FROM (SELECT id FROM orders) AS o (number) WHERE EXISTS (SELECT 1)',
    'SELECT CAST(id AS DECIMAL(10, 2)), DATE_ADD(NOW(), INTERVAL 1 DAY) FROM orders -- ; DROP TABLE orders',
    "SELECT 'a\\'; DROP TABLE orders; -- '",
    'SELECT a--1, b # ; DELETE FROM t',
    'SELECT /* a comment; with a semicolon */ id FROM orders USE INDEX (note)',
    'SELECT ROW_NUMBER() OVER (PARTITION BY a) FROM t WINDOW w AS (ORDER BY b)',
    "SELECT 'INTO OUTFILE', `INTO`, 'FOR UPDATE' FROM t",
    'SELECT /*+ INDEX(o note) NO_MERGE(v), QB_NAME(`main`) JOIN_ORDER(a, b@q) */ id FROM orders AS o',
    "SELECT /*+ SET_VAR(optimizer_switch = 'mrr=off,batched_key_access=on') */ 1",
    'SELECT id FROM orders FORCE INDEX FOR JOIN (note) IGNORE INDEX (PRIMARY) WHERE id = 1',
    'EXPLAIN SELECT 1',
    'EXPLAIN FORMAT=JSON SELECT 1',
    'explain extended select 1',
    'TABLE orders',
    'SELECT * FROM orders WHERE id > ALL (SELECT id FROM old) AND id = ANY (SELECT 1)',
    "SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) AS t",
  ]
  for (const statement of reads)
    it(`accepts as a read: ${statement}`, () => expect(verdict(statement)).to.equal('reads'))

  const locks = [
    'UPDATE orders SET note = CONCAT(note, "x") WHERE id = 1',
    'DELETE FROM orders WHERE id IN (1, 2)',
    'INSERT INTO shop.orders (id, note) VALUES (1, "a") ON DUPLICATE KEY UPDATE note = VALUES(note)',
    'INSERT orders (id) VALUES (1)',
    'INSERT IGNORE INTO orders SELECT * FROM old',
    'REPLACE INTO orders VALUES (1, "a")',
    'WITH c AS (SELECT 1) UPDATE orders, c SET note = 1',
    'WITH c AS (SELECT 1) DELETE FROM orders WHERE id IN (SELECT * FROM c)',
    'SELECT * FROM orders FOR UPDATE',
    'SELECT * FROM orders FOR /* x */ UPDATE SKIP LOCKED',
    'SELECT * FROM orders FOR SHARE',
    'SELECT * FROM orders LOCK IN SHARE MODE',
    'EXPLAIN UPDATE orders SET note = 1',
  ]
  for (const statement of locks) it(`does not run: ${statement}`, () => expect(verdict(statement)).to.equal('locks'))

  const refused: readonly [statement: string, why: RegExp][] = [
    ['', /of a kind that has no plan/],
    ['SELECT 1; DROP TABLE orders', /several statements/],
    ['SELECT 1;; SELECT 2', /several statements/],
    ["SELECT ''; DROP TABLE orders; -- '", /several statements/],
    ['SELECT 1 --\u00a0; DROP TABLE orders', /several statements/],
    ['SELECT 1 /*! INTO OUTFILE "/tmp/x" */', /comment that servers act on/],
    ['SELECT /*!50000 sleep(10) */', /comment that servers act on/],
    ['SELECT /*M! sleep(10) */', /comment that servers act on/],
    ['SELECT /*+ SET_VAR(sql_mode="ANSI") */ 1', /hint that may change more.*SET_VAR/],
    ['SELECT /*+ MAX_EXECUTION_TIME(0) */ 1', /hint that may change more.*MAX_EXECUTION_TIME/],
    ['SELECT /*+ INDEX(t a), RESOURCE_GROUP(g) */ 1', /hint that may change more.*RESOURCE_GROUP/],
    ["SELECT /*+ SET_VAR(optimizer_switch='x') SET_VAR(max_join_size=1) */ 1", /hint that may.*max_join_size/],
    ['SELECT /*+ INDEX(t `*/`) */ 1', /hint that may change more/],
    ['SELECT /*+ nonsense */ 1', /hint that may change more.*nonsense/],
    ['SELECT 1 /* /*! */ ; DELETE FROM t', /several|comment/],
    ['SELECT 1 /* open', /cut off/],
    ["SELECT 'open", /cut off/],
    ['SELECT `open', /cut off/],
    ["SELECT * FROM t INTO OUTFILE '/tmp/x'", /writes a file/],
    ["SELECT * INTO /**/ DUMPFILE '/tmp/x' FROM t", /writes a file/],
    ['SELECT 1 INTO @a', /stores its result/],
    ['SELECT a INTO b FROM t', /stores its result/],
    ['INSERT INTO t SELECT 1 INTO @a', /stores its result/],
    ['INSERT INTO t SELECT SLEEP(5)', /calls SLEEP/],
    ['INSERT INTO t (a) SELECT f(1)', /calls f/],
    ['INSERT INTO t SET a = f(1)', /calls f/],
    ['DELETE FROM t WHERE sleep(5)', /calls sleep/],
    ['UPDATE t SET a = shop.f(1)', /calls f/],
    ['SELECT write_it()', /calls write_it/],
    ['SELECT write_it /* x */ (1)', /calls write_it/],
    ['SELECT `write_it`(1)', /calls write_it/],
    ['SELECT shop.concat(1)', /calls concat/],
    ['SELECT (1), write_it(1)', /calls write_it/],
    ['SELECT path(1), nested(2)', /calls path/],
    ['SELECT columns(1)', /calls columns/],
    ['SELECT write_it((SELECT 1))', /calls write_it/],
    ['SELECT * FROM t WHERE a = 1 AND sys_exec("rm")', /calls sys_exec/],
    ['SELECT GET_LOCK("a", 1)', /calls GET_LOCK/],
    ['SELECT BENCHMARK(1000000000, MD5(1))', /calls BENCHMARK/],
    ['SELECT LOAD_FILE("/etc/passwd")', /calls LOAD_FILE/],
    ['SELECT NEXTVAL(s)', /calls NEXTVAL/],
    ['SELECT NEXT VALUE FOR s', /sequence/],
    ['SELECT @a := 1', /assigns a variable/],
    ['WITH c AS (SELECT write_it()) SELECT * FROM c', /calls write_it/],
    ['WITH c (a) AS (SELECT 1) SELECT write_it(a) FROM c', /calls write_it/],
    ['SELECT * FROM t PROCEDURE ANALYSE()', /calls a procedure/],
    ['SELECT * FROM t WHERE id = ?', /parameters were not kept/],
    ['EXPLAIN FOR CONNECTION 5', /of a kind that has no plan/],
    ['DESC orders', /of a kind that has no plan/],
    ['ANALYZE TABLE orders', /of a kind that has no plan/],
    ['EXPLAIN EXPLAIN SELECT 1', /of a kind that has no plan/],
    ...['CALL p()', 'SET GLOBAL x = 1', 'DROP TABLE t', 'LOAD DATA INFILE "x" INTO TABLE t', 'DO SLEEP(1)'].map(
      (statement): [string, RegExp] => [statement, /of a kind that has no plan/],
    ),
    ...['COMMIT', 'SHOW TABLES', 'HANDLER t OPEN', '# Quit', 'administrator command: Quit', '(UPDATE t SET a = 1)'].map(
      (statement): [string, RegExp] => [statement, /of a kind that has no plan/],
    ),
    ['SELECT 1\0; DROP TABLE t', /U\+0000/],
    [`SELECT '${'x'.repeat(100_000)}'`, /longer than/],
  ]
  for (const [statement, why] of refused)
    it(`refuses: ${statement.slice(0, 60)}`, () => expect(verdict(statement)).to.match(why))

  it('knows functions of one flavour only there', () => {
    expect([verdict('SELECT NVL(a, 1)'), verdict('SELECT ANY_VALUE(a)', 'mysql')]).to.deep.equal(['reads', 'reads'])
    expect(verdict('SELECT NVL(a, 1)', 'mysql')).to.match(/calls NVL/)
    expect(verdict('SELECT ANY_VALUE(a)')).to.match(/calls ANY_VALUE/)
  })

  it('gives the statement alone: without what precedes and ends it', () => {
    const judged = judgeStatement('EXPLAIN SELECT 1 ; -- the end', 'mysql')
    expect(judged.ok && judged.value.statement).to.equal('SELECT 1')
  })

  it('names what may be a table or a view, as written', () => {
    const judged = judgeStatement('SELECT o.id FROM shop.Orders o JOIN `odd name` USING (id), nested', 'mysql')
    expect(judged.ok && judged.value.names).to.deep.include.members([
      ['shop', 'Orders'],
      [undefined, 'odd name'],
      [undefined, 'nested'],
    ])
  })

  it('checks a long statement quickly', () => {
    const long = `SELECT * FROM t WHERE id IN (${Array.from({ length: 15_000 }, (_, id) => id).join(',')})`
    expect(verdict(long)).to.equal('reads')
  })

  it('finds a second statement wherever it is put outside of quotes', () => {
    const statement = `SELECT 'a', "b", \`c\`, 1.5e3 FROM t WHERE x = 'it''s' AND y <> "\\"" /* z */`
    const cut = cutStatement(statement)
    if (!cut.ok) throw new Error(cut.failure.message)
    for (const { end } of cut.value.slice(0, -1))
      expect(verdict(`${statement.slice(0, end)} ; DROP TABLE t ${statement.slice(end)}`)).to.not.match(
        /^(reads|locks)$/,
      )
  })
})
