// The classification of every protocol error: the evidence for the failover decision.
import { expect } from 'chai'
import { errorNumber, loginFailure, nothingListens, statementFailure } from '../../../../lib/connect/sql/failures.js'

const serverError = (errno: number) => ({ errno, code: 'ER_X', sqlMessage: `text of ${errno}` })
const codeOf = (result: ReturnType<typeof loginFailure>) => (result.ok ? 'ok' : result.failure.code)

describe('loginFailure', () => {
  for (const errno of [1040, 1044, 1045, 1129, 1130, 1203, 1226, 1251, 1698, 3032, 3118])
    it(`takes server error ${errno} as the refusal of a living server`, () => {
      expect(codeOf(loginFailure(serverError(errno), 'db1:3306'))).to.equal('sql-rejected')
    })

  it('takes a server that is shutting down as gone', () => {
    expect(codeOf(loginFailure(serverError(1053), 'db1:3306'))).to.equal('sql-refused')
  })

  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST'])
    it(`takes ${code} as gone`, () => {
      expect(codeOf(loginFailure({ code, errno: -111, message: code }, 'db1:3306'))).to.equal('sql-refused')
    })

  for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EINVAL', 'EACCES', 'EMFILE'])
    it(`takes ${code} as silence: an error of the network or of this system, not of the server`, () => {
      expect(codeOf(loginFailure({ code, errno: -113, message: code }, 'db1:3306'))).to.equal('sql-silent')
    })

  for (const code of ['ENOTFOUND', 'EAI_AGAIN'])
    it(`takes ${code} as a name without an address, which says nothing about the server`, () => {
      expect(codeOf(loginFailure({ code, errno: -3001, message: code }, 'db1:3306'))).to.equal('sql-unresolved')
    })

  it('takes errors of neither network nor server (TLS, authentication plugins) as rejected', () => {
    expect(codeOf(loginFailure(new Error('self-signed certificate'), 'db1:3306'))).to.equal('sql-rejected')
    expect(codeOf(loginFailure('odd', 'db1:3306'))).to.equal('sql-rejected')
  })

  it('names the address, and each try where a name has several', () => {
    const result = loginFailure({ code: 'ECONNREFUSED', errors: [{ message: 'one' }, { message: 'two' }] }, 'db1:3306')
    expect(result).to.deep.equal({ ok: false, failure: { code: 'sql-refused', message: 'db1:3306: one; two' } })
  })
})

describe('nothingListens', () => {
  const refusal = { code: 'ECONNREFUSED', errno: -111, message: 'connect ECONNREFUSED 10.0.0.1:3306' }
  const shows = (error: unknown) => {
    const result = loginFailure(error, 'db1:3306')
    return !result.ok && nothingListens(result.failure)
  }

  it('holds where each address of the server refuses the connection', () => {
    expect(shows(refusal)).to.equal(true)
    expect(shows({ code: 'ECONNREFUSED', errors: [refusal, refusal] })).to.equal(true)
  })

  it('does not hold where one address was silent, a login was cut off or answered, or a session was lost', () => {
    expect(shows({ code: 'ECONNREFUSED', errors: [refusal, { message: 'connect ETIMEDOUT 10.0.0.2:3306' }] })).to.equal(
      false,
    )
    for (const code of ['ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST'])
      expect(shows({ code, message: `read ${code}` }), code).to.equal(false)
    expect(shows(serverError(1053))).to.equal(false)
    const lost = { code: 'sql-refused', message: 'db1:3306: connection lost: read ECONNRESET' } as const
    expect(nothingListens(lost)).to.equal(false)
  })
})

describe('statementFailure', () => {
  it('takes a refused statement as failed, with its number', () => {
    const result = statementFailure(serverError(1290), 'db1:3306')
    expect(result).to.deep.equal({
      ok: false,
      failure: { code: 'sql-failed', message: 'db1:3306: error 1290: text of 1290' },
    })
    expect(result.ok ? 0 : errorNumber(result.failure)).to.equal(1290)
  })

  for (const errno of [1053, 1927, 3169, 4031])
    it(`takes server error ${errno} as the end of the session`, () => {
      expect(codeOf(statementFailure(serverError(errno), 'db1:3306'))).to.equal('sql-refused')
    })

  it('takes a broken connection as its end', () => {
    expect(codeOf(statementFailure({ code: 'PROTOCOL_CONNECTION_LOST', message: 'x' }, 'a:1'))).to.equal('sql-refused')
  })
})

describe('errorNumber', () => {
  it('is 0 when the server gave no answer', () => {
    expect(errorNumber({ code: 'sql-silent', message: 'db1:3306: no answer within 100 ms' })).to.equal(0)
  })
})
