// Stories of switchovers that do not happen: dry runs, refusals, and candidates that hang on the way.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import type { CommandType } from '../../lib/model/operation/command.js'
import type { Preview } from '../../lib/model/operation/preview.js'
import type { JournalEntry } from '../../lib/store/cluster/journal-entry.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { begunIn, expectIntact } from '../support/stories/intact.js'
import { JournalWatch } from '../support/stories/journal-watch.js'
import { lossless, progress } from '../support/stories/story.js'
import {
  acknowledging,
  changes,
  clientsOf,
  idOf,
  type Portrait,
  portrait,
  replicasOf,
  SWITCHOVER,
  startWriters,
  switchable,
  wishFor,
} from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const WRITERS = 8

describe('A switchover that does not happen', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let writers: Writers

  before(async () => {
    cluster = await startProtectedCluster({
      semiSync: true,
      gated: true,
      options: lossless,
      settings: { 'failover-mode': 'manual', 'switchover-wait-write-query': 1, 'switchover-wait-trx': 1 },
    })
  })
  beforeEach(async () => {
    await acknowledging(cluster)
    primary = await cluster.primary()
    writers = startWriters(cluster, { count: WRITERS })
    await settled()
  })
  afterEach(async () => {
    for (const node of cluster.nodes) node.resume()
    await writers.stop()
  })
  after(() => cluster?.destroy())

  /** Every client writes to the primary; what befell it on the way there does not count. */
  const settled = async () => {
    await eventually(async () => (await clientsOf(primary)).length === WRITERS, 'every client is at the primary')
    await progress(writers, 50)
    writers.errors.length = 0
  }

  /** Nothing was changed anywhere, and no client noticed. */
  const expectUntouched = async (before: Portrait, clients: readonly number[]) => {
    await progress(writers, 50)
    expect(await clientsOf(primary)).to.deep.equal(clients)
    await writers.stop()
    expect(writers.errors).to.deep.equal([])
    expect(changes(before, await portrait(cluster))).to.deep.equal([])
    expect(await cluster.primary()).to.equal(primary)
    await expectIntact(cluster, { primary, writers })
  }

  /** What the plan had set on a server that hung is taken back when that wakes up. */
  const returnsTo = async (before: Portrait) => {
    let changed: readonly string[] = []
    await eventually(
      async () => {
        changed = changes(before, await portrait(cluster))
        return changed.length === 0
      },
      () => `everything is as it was: ${changed.join(', ')}`,
    )
  }

  /** The plan of a switchover; one whose check of the replication account got no answer in time is asked for again. */
  const planned = async () => {
    let plan: Preview | undefined
    await eventually(
      async () => {
        const { status, body } = await cluster.manager.post(`${SWITCHOVER}?plan=true`)
        expect(status, body).to.equal(200)
        plan = JSON.parse(body) as Preview
        return plan.unchecked === undefined
      },
      () => `everything in the plan is checked: ${plan?.unchecked}`,
    )
    return plan as Preview
  }

  it('was a dry run: the steps in order, what they cost, and nothing done', async () => {
    await switchable(cluster)
    const [before, clients] = [await portrait(cluster), await clientsOf(primary)]
    const plan = await planned()
    expect(plan).to.include({ kind: 'switchover', possible: true, oldPrimary: await idOf(cluster, primary) })
    const order = ['reprobe', 'guard-long-writes', 'freeze', 'catch-up', 'promote', 'make-writable', 'unfreeze']
    const steps = plan.steps.flatMap(({ command }) => command?.type ?? [])
    expect(steps.filter((type) => order.includes(type))).to.deep.equal(order)
    expect(plan.steps.every(({ text }) => text !== '')).to.equal(true)
    expect(plan.expectedBlockedMs).to.be.above(0)
    expect(await begunIn(cluster)).to.deep.equal([])
    await expectUntouched(before, clients)
  })

  it('was refused by a long transaction, which it names', async () => {
    await switchable(cluster)
    const [before, clients] = [await portrait(cluster), await clientsOf(primary)]
    await primary.sql('BEGIN; INSERT INTO spec.acknowledged VALUES (900000, 1)')
    const session = await primary.value('SELECT CONNECTION_ID()')
    await eventually(async () => (await ageOf(primary, session)) >= 2, 'the transaction is old')
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(409)
    expect(body).to.match(new RegExp(`session ${session} of root@127.0.0.1:\\d+ for \\d+ s, 1 row changed`))
    await primary.sql('COMMIT')
    expect(await primary.value('SELECT CONNECTION_ID()'), 'the offender goes on').to.equal(session)
    await expectUntouched(before, clients)
  })

  it('was refused because the candidate hangs', async () => {
    const [before, clients] = [await portrait(cluster), await clientsOf(primary)]
    const [candidate] = await replicasOf(cluster)
    candidate.pause()
    const { status, body } = await ask(candidate)
    candidate.resume()
    expect(status, body).to.be.within(400, 500)
    await eventually(async () => (await cluster.stateOf(candidate)) === 'Slave', 'the candidate is well again')
    // One whose receiver only connects is called a replica, too.
    await acknowledging(cluster)
    await expectUntouched(before, clients)
  })

  for (const step of ['reprobe', 'freeze', 'catch-up', 'promote'] as const)
    it(`was undone when the candidate hung at ${step}`, async () => {
      const { before, candidate, body } = await hangsAt(step)
      await progress(writers, 50)
      expect(await cluster.primary(), body).to.equal(primary)
      candidate.resume()
      await acknowledging(cluster)
      await writers.stop()
      await expectIntact(cluster, { primary, writers })
      await returnsTo(before)
    })

  /** A switchover whose candidate hangs before any server has heard of this step. */
  const hangsAt = async (step: CommandType) => {
    const before = await portrait(cluster)
    const [candidate] = await replicasOf(cluster)
    await switchable(cluster, candidate)
    let hangs = false
    const watch = new JournalWatch(cluster, { kind: 'switchover', when: hasStarted(step) }, () => {
      hangs = true
      candidate.pause()
    })
    const { status, body } = await ask(candidate)
    watch.close()
    expect(hangs, body).to.equal(true)
    expect(status, body).to.be.within(400, 500)
    return { before, candidate, body }
  }

  it('was refused because the primary is dead', async () => {
    await writers.stop()
    const [candidate] = await replicasOf(cluster)
    await primary.kill('SIGKILL')
    await eventually(async () => (await cluster.stateOf(primary)) === 'Failed', 'the primary counts as failed')
    const own = `/api/clusters/story/servers/${await idOf(cluster, candidate)}/actions/switchover`
    expect(await askPlainly(SWITCHOVER)).to.deep.equal({ status: 400, body: 'Master failed' })
    expect(await askPlainly(own)).to.deep.equal({ status: 500, body: 'Master failed, cannot initiate switchover' })
    expect(await cluster.primary()).to.equal(primary)
    for (const node of cluster.nodes.filter((other) => other !== primary))
      expect(await node.value('SELECT @@read_only')).to.equal('1')
  })

  /** As a client that wants texts, not problems in JSON. */
  const askPlainly = async (target: string) => {
    const { status, body } = unwrap(await cluster.manager.session.call('POST', target, { headers: { accept: '*/*' } }))
    return { status, body: body.trim() }
  }

  const ask = (node: Node) => cluster.manager.post(SWITCHOVER, wishFor(cluster, node))
})

/** What a candidate is sent as it is opened. */
const opening = {
  'set-semi-sync': /SET GLOBAL rpl_semi_sync_master_enabled = 1/,
  'make-writable': /SET GLOBAL read_only = 0/,
} as const

/** A candidate that hangs as it is opened may have been opened: it must be closed the moment it wakes up. */
describe('A switchover whose candidate hangs as it is opened', () => {
  let cluster: ProtectedCluster | undefined
  const endCluster = async () => {
    await cluster?.destroy()
    cluster = undefined
  }
  after(endCluster)

  /** The one before goes on, unless its end left it divided. */
  const startCluster = async () => {
    cluster ??= await startProtectedCluster({
      semiSync: true,
      gated: true,
      options: lossless,
      settings: { 'failover-mode': 'manual' },
    })
    return cluster
  }

  for (const step of ['set-semi-sync', 'make-writable'] as const)
    it(`at ${step} is through by then, or undone with the candidate closed as it wakes up`, async () => {
      const story = await startCluster()
      let isWhole = false
      try {
        await story.ready()
        const primary = await story.primary()
        const [candidate, other] = await replicasOf(story)
        const writers = startWriters(story, { count: 8 })
        await progress(writers, 50)
        await switchable(story, candidate)
        const gate = story.gateTo(candidate)
        let hangs = false
        gate.beforeBytes = (bytes) => {
          if (hangs || !opening[step].test(bytes.toString())) return
          hangs = true
          candidate.pause()
        }
        const { status, body } = await story.manager.post(SWITCHOVER, wishFor(story, candidate))
        gate.beforeBytes = () => undefined
        expect(hangs, body).to.equal(true)
        if (status !== 200) await progress(writers, 50)
        candidate.resume()
        await progress(writers, 50)
        await eventually(async () => (await story.primary()) === (status === 200 ? candidate : primary), 'who leads')
        await writers.stop()
        if (status === 200) {
          await expectIntact(story, { primary: candidate, writers })
          isWhole = true
          return
        }
        await eventually(async () => (await candidate.value('SELECT @@read_only')) === '1', 'the candidate is closed')
        // The finding may come later: the manager has to probe the candidate once more.
        const wrote = await hasWritten(candidate)
        if (wrote) await story.opens('WARN0186')
        await expectIntact(story, { primary, writers, living: wrote ? [primary, other] : story.nodes })
        isWhole = !wrote
      } finally {
        if (!isWhole) await endCluster()
      }
    })
})

/** The journal says that a command of this type was begun. */
const hasStarted =
  (step: CommandType) =>
  ([begin, ...entries]: readonly JournalEntry[]): boolean =>
    entries.some(
      (entry) => entry.type === 'started' && begin?.type === 'begin' && begin.plan.commands[entry.index]?.type === step,
    )

/** Its binary log has transactions that it has not replicated. */
async function hasWritten(node: Node): Promise<boolean> {
  const gtids = (await node.value('SELECT @@GLOBAL.gtid_binlog_state')).split(',')
  return gtids.some((gtid) => gtid.split('-')[1] === String(node.serverNumber))
}

async function ageOf(node: Node, session: string): Promise<number> {
  const age =
    'SELECT TIMESTAMPDIFF(SECOND, trx_started, NOW()) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = ?'
  return Number(await node.value(age, Number(session)))
}
