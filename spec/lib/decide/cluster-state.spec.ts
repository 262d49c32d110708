import { expect } from 'chai'
import { judgeState, noteState, weightyWarnings } from '../../../lib/decide/cluster-state.js'
import type { Finding } from '../../../lib/model/finding.js'
import { type FindingCode, findings } from '../../../lib/model/findings.js'
import { freshMemory } from '../../../lib/model/memory.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { primary, refused, replica, server } from '../../support/simulator/situation.js'

const memory = { ...freshMemory, discovered: true }

const cluster = (servers: readonly ServerSnapshot[], ...codes: readonly FindingCode[]) => ({
  servers,
  primary: 'db1',
  findings: codes.map((code): Finding => ({ code, detail: '' })),
})

const stateOf = (servers: readonly ServerSnapshot[], ...codes: readonly FindingCode[]) =>
  judgeState(cluster(servers, ...codes), memory)

const writer = primary(1)
const reader = replica(2, { server: { stateName: 'replica' } })

describe('judgeState', () => {
  it('is healthy when the primary takes writes, a replica is valid and nothing of weight is open', () => {
    expect(stateOf([writer, reader])).to.equal('healthy')
    expect(stateOf([writer, reader], 'WARN0055', 'WARN0390')).to.equal('healthy')
  })

  it('is down without a primary that takes writes, whatever else is open', () => {
    expect(stateOf([server(1, refused), reader], 'ERR00012')).to.equal('down')
    expect(stateOf([primary(1, { readOnly: true }), reader])).to.equal('down')
    expect(judgeState({ ...cluster([]), primary: 'db9' }, memory)).to.equal('down')
  })

  it('is broken while an error is open', () => {
    expect(stateOf([writer, reader], 'ERR00161', 'WARN0234')).to.equal('broken')
  })

  it('is degraded by a warning of weight, a server that does not answer, or when it could not fail over', () => {
    expect(stateOf([writer, reader], 'WARN0234')).to.equal('degraded')
    expect(stateOf([writer, reader, server(3, refused)])).to.equal('degraded')
    expect(stateOf([writer])).to.equal('degraded')
    expect(judgeState(cluster([writer, reader]), freshMemory)).to.equal('degraded')
  })

  it('gives weight to warnings only: errors have it anyway', () => {
    expect([...weightyWarnings].filter((code) => findings[code].severity !== 'warning')).to.deep.equal([])
  })
})

describe('noteState', () => {
  it('keeps since when the state is what it is', () => {
    const first = noteState(memory, cluster([writer, reader]), 1_000.4)
    expect(first.condition).to.deep.equal({ state: 'healthy', since: 1_000 })
    expect(noteState(first, cluster([writer, reader]), 2_000)).to.equal(first)
    expect(noteState(first, cluster([writer]), 3_000).condition).to.deep.equal({ state: 'degraded', since: 3_000 })
  })
})
