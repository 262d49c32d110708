// When a start of the primary counts as one with everything: what it is compared with, and after whom was read.
import { expect } from 'chai'
import { lostByPrimary, rememberHeld, startedWithout } from '../../../../../lib/decide/situation/history/history.js'
import { freshMemory, type Held } from '../../../../../lib/model/memory.js'
import { formatSet } from '../../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../../lib/model/snapshot.js'
import { NOW, primary, replica, settings } from '../../../../support/simulator/situation.js'

const SECOND = 1_000
/** Each reading. */
const TOOK = 1
/** Read a moment ago, of a process that was started after the manager had ended. */
const source = (executed: string, draft: Partial<ServerSnapshot> = {}): ServerSnapshot => {
  const server = primary(1, { executed }, { stateAt: NOW, probeMs: TOOK, ...draft })
  if (!server.state) throw new Error('it was read')
  return { ...server, state: { ...server.state, uptimeSeconds: 10 } }
}
const follower = (received: string, io: 'running' | 'stopped', draft: Partial<ServerSnapshot> = {}) =>
  replica(2, {
    received,
    applied: received,
    io,
    server: { sourceId: 'db1', stateAt: NOW + 1, probeMs: TOOK, ...draft },
  })

/** What the state file says: the latest seconds are missing in it. */
const held: Held = {
  primary: 'db1',
  set: { '0-1': [[1, 90]] },
  at: NOW - 60 * SECOND,
  opened: true,
  startedAt: NOW - 3_600 * SECOND,
}

function seen(servers: readonly ServerSnapshot[], before: Held | undefined = held) {
  const memory = { ...freshMemory, primary: 'db1', ...(before ? { held: before } : {}) }
  const next = rememberHeld(memory, { servers, topology: 'primary-replica', settings })
  const [one] = servers
  if (!next || !one) throw new Error('it is remembered')
  const later = { memory: { ...memory, held: next } }
  return { held: next, lost: formatSet(lostByPrimary(later, one)), isLater: startedWithout(later, one) }
}

describe('a primary that was started while no manager ran', () => {
  it('is not whole before the others were read', () => {
    const unread = { observation: 'unseen', stateAt: 0 } as const
    const { state: _, ...away } = follower('0-1-90', 'stopped', unread)
    expect(seen([source('0-1-95'), away]).isLater).to.equal(true)
    expect(seen([source('0-1-95'), { ...away, observation: 'silent', failures: 1 }]).isLater).to.equal(true)
  })

  it('is not whole before the others were read since its start', () => {
    const early = follower('0-1-95', 'running', { stateAt: NOW - 11 * SECOND })
    expect(seen([source('0-1-95'), early]).isLater).to.equal(true)
  })

  it('is whole when they show no more, or have failed', () => {
    expect(seen([source('0-1-95'), follower('0-1-95', 'stopped')]).isLater).to.equal(false)
    const { state: _, ...failed } = follower('0-1-90', 'stopped', { observation: 'silent', failures: 99 })
    expect(seen([source('0-1-95'), failed]).isLater).to.equal(false)
  })

  it('is whole when one that receives from it shows what it wrote since it was read', () => {
    expect(seen([source('0-1-95'), follower('0-1-99', 'running')]).isLater).to.equal(false)
  })

  it('is missing at once what a server shows that is not connected to it', () => {
    const { isLater, lost } = seen([source('0-1-90'), follower('0-1-99', 'stopped')])
    expect(isLater).to.equal(true)
    expect(lost).to.equal('0-1:91-99')
  })

  it('is missing it at its next reading where it shows more itself than the state file', () => {
    const servers = [source('0-1-95'), follower('0-1-99', 'stopped')]
    const first = seen(servers)
    expect(first.isLater).to.equal(true)
    const next = seen([source('0-1-95', { stateAt: NOW + 2 * SECOND }), ...servers.slice(1)], first.held)
    expect(next.isLater).to.equal(true)
    expect(next.lost).to.equal('0-1:96-99')
  })

  it('is not judged by its own start where none was known', () => {
    const { startedAt: _, ...unknown } = held
    expect(seen([source('0-1-95'), follower('0-1-99', 'stopped')], unknown).isLater).to.equal(false)
    expect(seen([source('0-1-95'), follower('0-1-95', 'running')], unknown).held.startedAt).to.equal(NOW - 10 * SECOND)
  })
})
