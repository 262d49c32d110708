// Stories of a primary role that moves on request, while clients write.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { cases, isSoak } from '../support/run/soak.js'
import { begunIn, expectIntact } from '../support/stories/intact.js'
import { latestOf } from '../support/stories/journal-watch.js'
import { durable, lossless, progress } from '../support/stories/story.js'
import { idOf, replicasOf, startWriters, switchable, switchOver } from '../support/stories/switching.js'

const END_SESSIONS = '/api/clusters/story/settings/actions/set/switchover-end-sessions'

const MANY = cases({ commit: 16, soak: 32 })

/** Accounts that read_only does not stop, and the pause between their writes. */
const supers = [
  ['monitor', 0],
  ['root', 20],
  ...(isSoak
    ? ([
        ['monitor', 20],
        ['root', 0],
      ] as const)
    : []),
] as const

for (const { name, semiSync, options } of [
  { name: 'an asynchronous cluster', semiSync: false, options: durable },
  { name: 'a semi-synchronous cluster', semiSync: true, options: lossless },
])
  describe(`A switchover of ${name}`, () => {
    let cluster: ProtectedCluster
    let writers: Writers

    before(async () => {
      cluster = await startProtectedCluster({ semiSync, options })
    })
    afterEach(() => writers?.stop())
    after(() => cluster?.destroy())

    const expectMovedTo = async (primary: Node) => {
      await progress(writers, 100)
      await writers.stop()
      await expectIntact(cluster, { primary, writers })
      expect(await begunIn(cluster), cluster.manager.log()).to.not.include('failover')
    }

    it(`loses no write of ${MANY} writers, three times in a row`, async () => {
      writers = startWriters(cluster, { count: MANY, pauseMs: 0 })
      for (let turn = 0; turn < 3; turn += 1) {
        await progress(writers, 10 * MANY)
        const old = await cluster.primary()
        expect(await switchOver(cluster)).to.not.equal(old)
      }
      await expectMovedTo(await cluster.primary())
    })

    for (const [account, pauseMs] of supers)
      it(`lets no write of SUPER slip in: ${account}, ${pauseMs} ms between writes`, async () => {
        writers = startWriters(cluster, { count: 16, pauseMs, account })
        await progress(writers, 200)
        await expectMovedTo(await switchOver(cluster))
      })

    it('ends the sessions of clients on the old primary where that is set: a pool connects again', async () => {
      const [old, { manager }] = [await cluster.primary(), cluster]
      const idle = unwrap(await openSession({ ...old.target(), user: 'writer', password: 'writer' }))
      await manager.post(`${END_SESSIONS}/true`)
      writers = startWriters(cluster, { count: 2 })
      await expectMovedTo(await switchOver(cluster))
      await manager.post(`${END_SESSIONS}/false`)
      expect(idle.open).to.equal(false)
      expect(JSON.stringify(latestOf(cluster, 'switchover'))).to.match(/[1-9] sessions? of clients on \S+ ended/)
    })

    it('goes to the server that is asked for', async () => {
      writers = startWriters(cluster, { count: 4 })
      const [one, other] = await replicasOf(cluster)
      expect(await switchOver(cluster, other)).to.equal(other)
      await switchable(cluster, one)
      const action = `/api/clusters/story/servers/${await idOf(cluster, one)}/actions/switchover`
      const { status, body } = await cluster.manager.post(action)
      expect(status, body).to.equal(200)
      expect(await cluster.primary()).to.equal(one)
      await expectMovedTo(one)
    })
  })
