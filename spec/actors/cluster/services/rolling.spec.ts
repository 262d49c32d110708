// Rolling work asks before each step whether its user may still have it, and ends where that is safe.
import { expect } from 'chai'
import { clusterBehaviour } from '../../../../actors/cluster/handlers/behaviour.js'
import type { Permit } from '../../../../actors/cluster/services/permits.js'
import { type Moving, Rolling } from '../../../../actors/cluster/services/rolling.js'
import { initialState } from '../../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../../actors/cluster/state/state.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import { DAY } from '../../../../lib/base/time.js'
import { judgeRevoked } from '../../../../lib/decide/watching/revoked-work.js'
import { freshMemory } from '../../../../lib/model/memory.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { defaultSettings, exportSettings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { NOW, primary, replica, situation } from '../../../support/simulator/situation.js'
import { eventually } from '../../../support/wait.js'

const asker = { user: 'ann', grants: ['cluster-rolling'] }
const roll: Roll = {
  ...{ id: 'rolling-restart-1', kind: 'restart', owner: 'ann', asker, startedAt: NOW, home: 'db1', primary: 'db1' },
  servers: [
    { server: 'db2', state: 'waiting' },
    { server: 'db3', state: 'waiting' },
  ],
  phase: 'running',
}

/** A cluster whose run is driven; what the manager answers, and the servers that had their turn. */
function world(answer: () => Permit) {
  const settings = defaultSettings({ 'db-servers-hosts': ['db1', 'db2', 'db3'] })
  const { snapshot, memory } = situation([primary(), replica(2), replica(3)])
  const start = initialState(
    { name: 'c1', directory: '/nowhere', settings: exportSettings(settings) },
    { memory: freshMemory, damage: [] },
    NOW,
  )
  const abort = new AbortController()
  const asked: unknown[] = []
  const acted: string[] = []
  const actor = {
    state: { ...start, snapshot, memory, ready: true, roll } as ClusterState,
    init: { directory: newDirectory('rolling') },
    context: { signal: abort.signal },
    decide(type: 'end-roll', payload: unknown): Result<unknown> {
      const handle = clusterBehaviour[type] as (...given: unknown[]) => { state: ClusterState; reply: Result<unknown> }
      const { state, reply } = handle(actor.state, payload, { now: NOW, since: NOW, reply: 1 })
      actor.state = state
      return reply
    },
    tell: (type: 'end-roll', payload: unknown) => void actor.decide(type, payload),
    permits: {
      ask: async (who: unknown) => {
        asked.push(who)
        return answer()
      },
    },
    services: {
      roll: async (server: string) => {
        acted.push(server)
        return ok(undefined)
      },
    },
    watch: { probeFresh: async () => undefined },
  }
  new Rolling(actor as unknown as Moving).resume()
  return { actor, asked, acted, end: () => abort.abort() }
}

describe('Rolling', () => {
  const ends: (() => void)[] = []
  afterEach(() => {
    for (const end of ends.splice(0)) end()
  })
  const begin = (answer: () => Permit) => {
    const one = world(answer)
    ends.push(one.end)
    return one
  }

  it('begins with no server when its user is gone: event, finding, and the reason in the run', async () => {
    const { actor, asked, acted } = begin(() => ({ type: 'refused', reason: 'ann is gone' }))
    await eventually(() => actor.state.roll?.phase === 'cancelled', 'it is over')
    expect(asked).to.deep.equal([asker])
    expect(acted).to.deep.equal([])
    expect(actor.state.roll).to.include({ message: 'cancelled by the manager: ann is gone', revoked: 'ann is gone' })
    const { revoked } = actor.state.memory
    expect(judgeRevoked(revoked, NOW)).to.deep.equal([{ code: 'WARN0392', detail: 'rolling-restart-1: ann is gone.' }])
    expect(judgeRevoked(revoked, NOW + DAY)).to.deep.equal([])
    expect(actor.state.snapshot.findings.map(({ code }) => code)).to.include('WARN0392')
  })

  it('begins with the next server only after an answer', async () => {
    let permit: Permit = { type: 'unanswered' }
    const { actor, asked, acted } = begin(() => permit)
    await eventually(() => asked.length > 1, 'it asks again')
    expect(acted).to.deep.equal([])
    expect(actor.state.roll?.phase).to.equal('running')
    permit = { type: 'granted' }
    await eventually(() => acted.length === 1, 'the first server has its turn')
  })
})
