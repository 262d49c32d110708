// Sessions are for the server that was seen: on real servers, by the session of every effect.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { now, SECOND } from '../../../../lib/base/time.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import { readInstance } from '../../../../lib/effect/reads/server-instance.js'
import type { SeenInstance } from '../../../../lib/model/server/instance.js'
import { type Databases, startDatabases } from '../../../support/databases/database.js'

describe('A session that is for one server', () => {
  let databases: Databases
  let seen: SeenInstance
  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'expected' })
    seen = { instance: unwrap(await readInstance(databases.node(0).target())), at: now() }
  })
  after(() => databases?.teardown())

  it('is opened with that server', async () => {
    const session = unwrap(await openSession({ ...databases.node(0).target(), expected: seen }))
    session.close()
    expect(seen.instance).to.deep.include({ port: databases.node(0).port })
  })

  it('is not opened with another one that ran at the same time, and says which one answered', async () => {
    // Both were started a moment ago: it was seen when it had run for longer than that.
    const expected = { ...seen, at: now() + 60 * SECOND }
    const opened = await openSession({ ...databases.node(1).target(), expected })
    expect(opened).to.have.nested.property('failure.code', 'sql-rejected')
    expect(opened)
      .to.have.nested.property('failure.message')
      .that.includes(`:${databases.node(1).port} (`)
  })
})
