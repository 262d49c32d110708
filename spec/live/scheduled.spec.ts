// Stories of a switchover that is scheduled: it survives a restart, is shown before it runs, refused, cancelled, missed.
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { isoTime, SECOND } from '../../lib/base/time.js'
import { readAppointment, writeAppointment } from '../../lib/store/cluster/appointment-file.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { logLines } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Kept {
  readonly phase: string
  readonly message?: string
  readonly plan?: { readonly possible: boolean; readonly steps: readonly unknown[] }
}

describe('a scheduled switchover', function () {
  this.timeout(300_000)
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'failover-limit': 0 } })
  })
  after(() => cluster?.destroy())

  const kept = () => cluster.manager.get<Kept>(`${C}/scheduled-switchover`)
  const ended = async (phase: string) => {
    await eventually(async () => (await kept()).phase === phase, `it is ${phase}`)
    return kept()
  }
  const schedule = async ([inMs, forMs]: readonly [number, number], to: Node, by?: ApiUser) => {
    const from = Date.now() + inMs
    const window = { at: isoTime(from), until: isoTime(from + forMs), prefmaster: `${to.host}:${to.port}` }
    const target = `${C}/actions/schedule-switchover`
    const { status } = by ? await by.ask(target, { body: window }) : await cluster.manager.post(target, window)
    expect(status).to.equal(200)
  }
  /** Its time comes while no manager runs, however long the machine took until now. */
  const becomesDue = async () => {
    const directory = path.join(cluster.manager.dataDirectory, 'story')
    const { value } = await readAppointment(directory)
    if (!value) throw new Error('nothing is scheduled')
    unwrap(await writeAppointment(directory, { ...value, from: Date.now() }))
  }
  const other = async (): Promise<Node> => {
    const primary = await cluster.primary()
    const found = cluster.nodes.find((node) => node !== primary)
    if (!found) throw new Error('there is no replica')
    return found
  }

  it('survives a restart of the manager, shows its plan again, runs, and closes its finding', async () => {
    const to = await other()
    await schedule([240 * SECOND, 600 * SECOND], to)
    await eventually(async () => (await cluster.alerts()).includes('WARN0390'), 'it is announced by a finding')
    const { plan, phase } = await kept()
    expect(phase).to.equal('waiting')
    expect(plan?.possible).to.equal(true)
    await cluster.manager.end('SIGKILL')
    await becomesDue()
    cluster.manager.start()
    await cluster.manager.alive()
    expect((await ended('succeeded')).message).to.contain('is the primary')
    expect(await cluster.primary()).to.equal(to)
    expect(logLines(cluster, 'begins; plan: 1. ')).to.have.lengthOf(1)
    await eventually(async () => !(await cluster.alerts()).includes('WARN0390'), 'the finding is closed')
  })

  it('is cancelled, and another one can be scheduled then', async () => {
    const to = await other()
    await schedule([600 * SECOND, 60 * SECOND], to)
    await cluster.manager.post(`${C}/actions/cancel-switchover`)
    expect((await kept()).phase).to.equal('cancelled')
    expect(await cluster.primary()).not.to.equal(to)
  })

  for (const [why, end] of [
    ['the user that asked for it is dropped', dropUser],
    ['the API token that asked for it is revoked', revokeToken],
  ] as const)
    it(`does not begin when ${why}, which a finding says`, async () => {
      const [before, to] = [await cluster.primary(), await other()]
      const ann = { username: `ann-${end.name}`, password: 'ann-password', roles: '', grants: 'show cluster' }
      expect((await cluster.manager.post(`${C}/users/add`, ann)).status).to.equal(200)
      const user = await ApiUser.login(cluster.manager, ann.username, ann.password)
      const asked = await end(user, ann.username)
      await schedule([3 * SECOND, 60 * SECOND], to, asked.by)
      await asked.revoke()
      await eventually(async () => !['waiting', 'running'].includes((await kept()).phase), 'it is over')
      const { phase, message } = await kept()
      expect(phase).to.equal('cancelled')
      expect(message).to.contain(ann.username)
      expect(await cluster.primary()).to.equal(before)
      await eventually(async () => (await cluster.alerts()).includes('WARN0392'), 'a finding says so')
    })

  interface Asked {
    readonly by: ApiUser
    readonly revoke: () => Promise<void>
  }
  async function dropUser(by: ApiUser, username: string): Promise<Asked> {
    const revoke = async () => {
      expect((await cluster.manager.post(`${C}/users/drop`, { username })).status).to.equal(200)
    }
    return { by, revoke }
  }
  async function revokeToken(by: ApiUser): Promise<Asked> {
    const { id, token } = await by.json<{ readonly id: string; readonly token: string }>('/api/tokens', {
      body: { label: 'nightly' },
    })
    const revoke = async () => {
      expect((await by.ask(`/api/tokens/${id}`, { method: 'DELETE' })).status).to.equal(200)
    }
    return { by: new ApiUser(cluster.manager, token), revoke }
  }

  it('is tried again while it is refused, then missed, which a finding says until it is dismissed', async () => {
    const to = await other()
    await to.sql('STOP SLAVE')
    await eventually(
      async () => !(await cluster.servers()).some(({ port, state }) => port === String(to.port) && state === 'Slave'),
      'the manager sees the stopped replica',
    )
    await schedule([5 * SECOND, 5 * SECOND], to)
    const { message } = await ended('missed')
    expect(message).to.match(/^it was refused until its window ended: ./)
    await eventually(async () => (await cluster.alerts()).includes('WARN0391'), 'a finding says so')
    await cluster.manager.post(`${C}/actions/cancel-switchover`)
    await eventually(async () => !(await cluster.alerts()).includes('WARN0391'), 'it is dismissed')
    expect(await cluster.primary()).not.to.equal(to)
  })
})
