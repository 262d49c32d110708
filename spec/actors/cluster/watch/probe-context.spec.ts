// What the pace of probing a server depends on: whether anything of its cluster was ever up.
import { expect } from 'chai'
import { initialState } from '../../../../actors/cluster/state/start.js'
import type { ClusterState } from '../../../../actors/cluster/state/state.js'
import { probeContext } from '../../../../actors/cluster/watch/probe-context.js'
import { freshMemory, type Memory } from '../../../../lib/model/memory.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings, exportSettings, withSettings } from '../../../../lib/settings/index.js'
import { primary, server } from '../../../support/simulator/situation.js'

describe('probeContext', () => {
  const settings = exportSettings(withSettings(defaultSettings(), {}))
  const never = [server(1, { observation: 'refused' }), server(2, { observation: 'refused' })]
  const neverUp = (
    servers: readonly ServerSnapshot[],
    { memory = {}, ...draft }: Partial<Omit<ClusterState, 'memory'>> & { readonly memory?: Partial<Memory> } = {},
  ) => {
    const known = { ...freshMemory, ...memory }
    const start = initialState({ name: 'c1', directory: '/nowhere', settings }, { memory: known, damage: [] }, 0)
    const state = { ...start, snapshot: { ...start.snapshot, servers }, ...draft }
    return probeContext(state, 'db2', servers.length)?.neverUp === true
  }

  it('is never up where no server was, as far as this process and those before it know', () => {
    expect(neverUp(never)).to.equal(true)
  })

  it('is not after a restart of a manager that remembers a primary, or what one held', () => {
    expect(neverUp(never, { memory: { primary: 'db1' } })).to.equal(false)
    expect(neverUp(never, { memory: { held: { primary: 'db1', set: {}, at: 0 } } })).to.equal(false)
  })

  it('is not while one of its servers is acted on', () => {
    expect(neverUp(never, { acting: ['db1'] })).to.equal(false)
    expect(neverUp(never, { acting: [] })).to.equal(true)
  })

  it('is not once any server has answered', () => {
    expect(neverUp([{ ...primary(1), observation: 'refused' }, never[1] as ServerSnapshot])).to.equal(false)
  })
})
