// Stored functions that a plan may call: those that only compute and read. And comments that servers execute.
import { expect } from 'chai'
import { resolveComments } from '../../../../lib/dialect/queries/comments.js'
import { judgeFunction } from '../../../../lib/dialect/queries/stored-function.js'
import type { Flavour } from '../../../../lib/model/server/version.js'

const verdict = (definition: string, sqlMode = ''): string => {
  const judged = judgeFunction({ definition, parameters: ['p', 'q'], sqlMode }, 'mariadb')
  return judged.ok
    ? `calls ${judged.value.calls.map(({ schema, name }) => `${schema}.${name}`)}`
    : judged.failure.message
}

describe('judgeFunction', () => {
  for (const body of [
    'RETURN p + 1',
    "RETURN CONCAT(p, CASE WHEN q > 1 THEN 'many' ELSE 'one' END)",
    'BEGIN RETURN (p); END',
    "BEGIN DECLARE a, b INT DEFAULT 0; DECLARE c VARCHAR(20) DEFAULT ''; SET a = p * 2; SET b := COALESCE(a, 1); RETURN b; END",
    'BEGIN IF p > 1 THEN RETURN 1; ELSEIF (p < 0) THEN SET p = 0; ELSE BEGIN RETURN 2; END; END IF; RETURN p; END',
    'BEGIN CASE p WHEN 1 THEN RETURN 1; ELSE SET q = CASE p WHEN 2 THEN 3 ELSE 4 END; END CASE; RETURN q; END',
    'BEGIN DECLARE a, b INT; SELECT id, COUNT(*) INTO a, b FROM t WHERE id = p; RETURN a; END',
    'RETURN (SELECT MAX(id) FROM orders WHERE note = p)',
  ])
    it(`accepts: ${body}`, () => expect(verdict(body)).to.equal('calls '))

  it('names what it calls in turn', () => expect(verdict('RETURN shop.other(p)')).to.equal('calls shop.other'))

  for (const [body, why] of [
    ['BEGIN INSERT INTO t VALUES (1); RETURN 1; END', /more than compute and read: INSERT/],
    ['BEGIN IF p THEN DELETE FROM t; END IF; RETURN 1; END', /more than compute and read: DELETE/],
    ['BEGIN IF p THEN RETURN 1; ELSE UPDATE t SET a = 1; END IF; END', /more than compute and read: UPDATE/],
    ['BEGIN CASE p WHEN 1 THEN CALL q(); END CASE; RETURN 1; END', /more than compute and read: CALL/],
    ['BEGIN DO SLEEP(10); RETURN 1; END', /more than compute and read: DO/],
    ['BEGIN WHILE 1 DO SET p = 1; END WHILE; RETURN 1; END', /more than compute and read: WHILE/],
    ['BEGIN l: LOOP SET p = 1; END LOOP; RETURN 1; END', /more than compute and read: l/],
    ["BEGIN EXECUTE IMMEDIATE 'DROP TABLE t'; RETURN 1; END", /more than compute and read: EXECUTE/],
    ['BEGIN SET GLOBAL max_connections = 1; RETURN 1; END', /sets something other than a local variable/],
    ['BEGIN SET autocommit = 1; RETURN 1; END', /sets something other than a local variable/],
    ['BEGIN SET @a = 1; RETURN 1; END', /sets something other than a local variable/],
    ['BEGIN SET p = 1, autocommit = 0; RETURN 1; END', /several variables at once/],
    ['RETURN @a := 1', /assigns a variable/],
    ['BEGIN SELECT 1 INTO @a; RETURN 1; END', /stores a result outside/],
    ["BEGIN SELECT 1 INTO OUTFILE '/tmp/x'; RETURN 1; END", /writes a file/],
    ['BEGIN DECLARE a INT; SELECT id INTO a FROM t FOR UPDATE; RETURN a; END', /locks rows/],
    ['BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION DELETE FROM t; RETURN 1; END', /a cursor, a condition or a handler/],
    ['RETURN NEXT VALUE FOR s', /takes a number from a sequence/],
    ['RETURN /*! SLEEP(1) */ 1', /comment that servers act on/],
  ] as const)
    it(`refuses: ${body}`, () => expect(verdict(body)).to.match(why))

  it('leaves calls without a schema to be refused: they may be built-in', () => {
    expect(verdict('RETURN SLEEP(1)')).to.equal('calls undefined.SLEEP')
  })

  it('refuses a text in another quoting mode', () => {
    expect(verdict('RETURN 1', 'STRICT_TRANS_TABLES,ANSI_QUOTES')).to.match(/sql_mode .*ANSI_QUOTES/)
  })
})

describe('resolveComments', () => {
  const resolved = (statement: string, flavour: Flavour, text: string) => {
    const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number)
    const result = resolveComments(statement, { flavour, version: { major, minor, patch } })
    return result.ok ? result.value.replace(/\s+/g, ' ') : result.failure.message
  }
  const commented = 'SELECT /*!40001 SQL_NO_CACHE */ /*!80000 a, */ /*M!100100 b, */ /*! c */ FROM t'

  for (const [flavour, version, expected] of [
    ['mariadb', '10.11.6', 'SELECT SQL_NO_CACHE b, c FROM t'],
    ['mysql', '5.7.40', 'SELECT SQL_NO_CACHE c FROM t'],
    ['mysql', '9.1.0', 'SELECT SQL_NO_CACHE a, c FROM t'],
  ] as const)
    it(`takes what ${flavour} ${version} would run`, () =>
      expect(resolved(commented, flavour, version)).to.equal(expected))

  it('leaves texts, hints and comments for people alone, but for the time a hint sets', () => {
    const statement = "SELECT /*+ MAX_EXECUTION_TIME(0) INDEX(t a) */ '/*! x */' /* y */ FROM t"
    expect(resolved(statement, 'mysql', '9.1.0')).to.equal("SELECT /*+ INDEX(t a) */ '/*! x */' /* y */ FROM t")
  })

  for (const statement of [
    'SELECT 1 /*! /*! 2 */ */',
    'SELECT 1 /*! /* 2 */ */',
    'SELECT 1 /*!99999 /* 2 */ */',
    'SELECT 1 /*! -- */ ; DROP TABLE t',
    'SELECT 1 /*! , 2',
    'SELECT 1 /*!99999 , 2',
  ])
    it(`refuses what servers may read otherwise: ${statement}`, () =>
      expect(resolved(statement, 'mariadb', '10.11.6')).to.match(/comment that servers act on|cut off/))
})
