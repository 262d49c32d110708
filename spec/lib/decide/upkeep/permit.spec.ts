// What may be done with a database now: nothing that costs data or the writer without a word that it is meant.
import { expect } from 'chai'
import { judgeService } from '../../../../lib/decide/upkeep/permit.js'
import type { ServiceAction } from '../../../../lib/model/operation/services.js'
import type { ServerSnapshot, Snapshot } from '../../../../lib/model/snapshot.js'
import { viewInput } from '../../../support/http/view-input.js'

const healthy = viewInput().snapshot
const primary = healthy.primary ?? ''
const replica = healthy.servers.find(({ id }) => id !== primary)?.id ?? ''
const following = (changes: Partial<ServerSnapshot> = {}): Snapshot => ({
  ...healthy,
  servers: healthy.servers.map((server) =>
    server.id === primary ? server : { ...server, sourceId: primary, ...changes },
  ),
})
const judge = (action: ServiceAction, server: string, { force = false, snapshot = following() } = {}) => {
  const judged = judgeService(snapshot, { action, server, force })
  return judged.ok ? 'ok' : judged.failure.code
}

describe('judgeService', () => {
  it('refuses to remove a primary with followers, names them and the override', () => {
    const judged = judgeService(following(), { action: 'unprovision', server: primary, force: false })
    expect(judged.ok ? '' : judged.failure.message).to.match(/is the primary and .+ follow it: .* force=true/)
  })

  it('removes a primary without followers, a replica, and anything with force', () => {
    const alone = { ...healthy, servers: healthy.servers.map(({ sourceId: _, ...server }) => server) }
    expect(judge('unprovision', primary, { snapshot: alone })).to.equal('ok')
    expect(judge('unprovision', replica)).to.equal('ok')
    expect(judge('unprovision', primary, { force: true })).to.equal('ok')
  })

  it('refuses to stop or restart the primary while others answer, unless forced', () => {
    for (const action of ['stop', 'restart'] as const) {
      expect(judge(action, primary)).to.equal('is-primary')
      expect(judge(action, primary, { force: true })).to.equal('ok')
      expect(judge(action, replica)).to.equal('ok')
    }
  })

  it('lets what stops nothing be done at any time', () => {
    for (const action of ['provision', 'start', 'apply'] as const) expect(judge(action, primary)).to.equal('ok')
  })

  it('stops nothing while the primary role moves, not even with force', () => {
    const operation = { id: 'switchover-1', kind: 'switchover' } as NonNullable<Snapshot['operation']>
    const snapshot = { ...following(), operation }
    for (const action of ['stop', 'restart', 'unprovision'] as const)
      expect(judge(action, replica, { force: true, snapshot })).to.equal('operation-running')
    expect(judge('start', replica, { snapshot })).to.equal('ok')
  })

  it('names a stranger', () => expect(judge('stop', 'db99')).to.equal('unknown-server'))
})
