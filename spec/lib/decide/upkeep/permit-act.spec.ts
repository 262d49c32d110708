// What may be done with a running database over SQL: nothing that takes a log or a source from others unless it is meant.
import { expect } from 'chai'
import { judgeAct, judgeOptimize } from '../../../../lib/decide/upkeep/permit-act.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import type { ServerAct } from '../../../../lib/model/server/server-act.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../../../lib/model/snapshot.js'
import { viewInput } from '../../../support/http/view-input.js'

const healthy = viewInput().snapshot
const primary = healthy.primary ?? ''
const replica = healthy.servers.find(({ id }) => id !== primary)?.id ?? ''

/** Every replica follows the primary, its threads in this state. */
const following = (threads: Pick<Channel, 'io' | 'sql'> = { io: 'running', sql: 'running' }): Snapshot => ({
  ...healthy,
  servers: healthy.servers.map((server) =>
    server.id === primary ? server : { ...server, sourceId: primary, ...stateWith(server, threads) },
  ),
})

const stateWith = ({ state }: ServerSnapshot, threads: Pick<Channel, 'io' | 'sql'>) =>
  state ? { state: { ...state, channels: state.channels.map((channel) => ({ ...channel, ...threads })) } } : {}

function judge(act: ServerAct, id: string, snapshot = following()): string {
  const member = findServer(snapshot, id)
  if (!member) throw new Error(`no server ${id}`)
  const judged = judgeAct(snapshot, member, act)
  return judged.ok ? 'ok' : `${judged.failure.code}: ${judged.failure.message}`
}

const reset = (force: boolean): ServerAct => ({ type: 'reset-binlogs', force })
const forget = (force: boolean): ServerAct => ({ type: 'forget-source', force })

describe('judgeAct', () => {
  it('keeps the binary log of a server that has followers, names them, and explains force', () => {
    expect(judge(reset(false), primary)).to.match(/^is-primary: .* has followers: .+ With force=true .* loses/)
    expect(judge(reset(true), primary)).to.equal('ok')
    expect(judge(reset(false), replica)).to.equal('ok')
  })

  it('keeps the source of a server that replicates', () => {
    expect(judge(forget(false), replica)).to.match(/^wrong-state: .* replicates from .* force=true/)
    for (const [io, sql] of [
      ['running', 'stopped'],
      ['connecting', 'stopped'],
      ['stopped', 'running'],
    ] as const)
      expect(judge(forget(false), replica, following({ io, sql })), `${io} ${sql}`).to.match(/^wrong-state/)
  })

  it('lets a source be forgotten that was stopped, or by force', () => {
    expect(judge(forget(false), replica, following({ io: 'stopped', sql: 'stopped' }))).to.equal('ok')
    expect(judge(forget(true), replica)).to.equal('ok')
  })

  it('lets nothing touch replication beside an operation, and everything else go on', () => {
    const operation = { id: 'repair-1', kind: 'repair' } as NonNullable<Snapshot['operation']>
    const snapshot = { ...following(), operation }
    for (const act of [reset(true), forget(true), { type: 'skip-event' } as const])
      expect(judge(act, replica, snapshot), act.type).to.match(/^operation-running: repair-1/)
    for (const act of [{ type: 'flush-logs' }, { type: 'toggle', what: 'slow-log' }] as const)
      expect(judge(act, replica, snapshot), act.type).to.equal('ok')
  })
})

describe('judgeOptimize', () => {
  const judged = (server: string, force: boolean) => {
    const result = judgeOptimize(healthy, { server, force })
    return result.ok ? 'ok' : result.failure.code
  }

  it('leaves the primary alone unless that is meant', () => {
    expect(judged(replica, false)).to.equal('ok')
    expect(judged(primary, false)).to.equal('is-primary')
    expect(judged(primary, true)).to.equal('ok')
    expect(judged('db99', true)).to.equal('unknown-server')
  })
})
