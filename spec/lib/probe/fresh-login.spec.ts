// A login of the manager's own account besides the session that is kept: what is remembered of it.
import { expect } from 'chai'
import { ok } from '../../../lib/base/result.js'
import type { OpenSession, SqlSession } from '../../../lib/connect/sql/session.js'
import { tryFreshLogin } from '../../../lib/probe/fresh-login.js'

const THREAD = 7
const LIMIT = 1_000

describe('tryFreshLogin', () => {
  it("counts its session as one of the manager's while it is open, and forgets it then", async () => {
    const own = new Set<number>()
    const during: number[] = []
    const session = {
      threadId: THREAD,
      run: async () => {
        during.push(...own)
        return ok([[{ own: 0, everyone: 0 }]])
      },
      close: () => undefined,
    }
    const open: OpenSession = async () => ok(session as unknown as SqlSession)
    for (let time = 0; time < 3; time += 1)
      await tryFreshLogin({
        target: { host: 'db1', port: 3306, user: 'manager', password: '', connectTimeoutMs: LIMIT },
        ...{ open, own, due: true, limited: () => undefined, now: () => 0 },
        ask: async () => ok([[]]),
      })
    expect(during).to.deep.equal([THREAD, THREAD, THREAD])
    expect([...own]).to.deep.equal([])
  })
})
