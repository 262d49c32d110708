import { expect } from 'chai'
import { type FleetRowInput, fleetRow } from '../../../lib/decide/fleet-row.js'
import type { FindingCode } from '../../../lib/model/findings.js'
import { freshMemory } from '../../../lib/model/memory.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { LossForecast } from '../../../lib/model/verdict.js'
import { acknowledgedSource, primary, refused, replica, running, server } from '../../support/simulator/situation.js'

const settings = {
  ...{ 'failover-mode': 'automatic', 'monitoring-pause': false, 'monitoring-observe': false },
  ...{ 'replication-source-name': '', 'cluster-tags': ['prod'] },
}

const healthy = { ...freshMemory, condition: { state: 'healthy', since: 1_000 } } as const

function rowOf(
  servers: readonly ServerSnapshot[] = [primary(1), replica(2)],
  changes: Partial<FleetRowInput> & { readonly loss?: LossForecast } = {},
) {
  const { loss = { kind: 'none', reason: '' }, ...input } = changes
  return fleetRow({
    snapshot: { cluster: 'c1', at: 2_000, topology: 'primary-replica', servers, primary: 'db1', findings: [] },
    ...{ memory: healthy, verdict: { loss }, settings, ready: true, wps: 12.34 },
    ...input,
  })
}

const lossOf = (loss: LossForecast) => rowOf(undefined, { loss }).loss

describe('fleetRow', () => {
  it('says who is the primary, how many answer, and since when it is so', () => {
    const { name, state, up, of, at, topology, mode, tags } = rowOf([primary(1), replica(2), server(3, refused)])
    expect([name, state, topology, mode, tags]).to.deep.equal(['c1', 'healthy', 'master-slave', 'automatic', ['prod']])
    expect([up, of, at]).to.deep.equal([2, 3, 1_000])
    expect(rowOf().primary).to.equal(primary(1).name)
  })

  it('knows no state before every server was probed', () => {
    expect(rowOf(undefined, { ready: false }).state).to.equal('unknown')
    expect(rowOf(undefined, { memory: freshMemory })).to.include({ state: 'unknown', at: 0 })
  })

  it('has the lag of the slowest replica, without an intended delay and without maintenance', () => {
    expect(rowOf([primary(1), replica(2, { lagSeconds: 3 }), replica(3, { lagSeconds: 7 })]).lag).to.equal(7)
    expect(rowOf([primary(1), replica(2, { lagSeconds: 3_603, delaySeconds: 3_600 })]).lag).to.equal(3)
    expect(rowOf([primary(1), replica(2, { lagSeconds: 10, delaySeconds: 60 })]).lag).to.equal(0)
    expect(rowOf([primary(1), replica(2, { lagSeconds: 9, server: { maintenance: true } })]).lag).to.equal(null)
    expect(rowOf([primary(1)]).lag).to.equal(null)
  })

  it('rounds what would be lost to two digits, to the safe side', () => {
    expect(lossOf({ kind: 'none', reason: '' })).to.equal(0)
    expect(lossOf({ kind: 'unknown', reason: '' })).to.equal(null)
    for (const [transactions, most, least] of [
      [0, 0, 0],
      [7, 7, 7],
      [99, 99, 99],
      [101, 110, 100],
      [1_234, 1_300, 1_200],
      [1_000_001, 1_100_000, 1_000_000],
    ] as const) {
      expect(lossOf({ kind: 'at-most', transactions, reason: '' })).to.equal(most)
      expect(lossOf({ kind: 'at-least', transactions, reason: '' })).to.equal(least)
    }
  })

  it('says whether commits wait for a replica', () => {
    expect(rowOf([primary(1, { semiSync: acknowledgedSource() }), replica(2)]).semi).to.equal('on')
    const fallen = { ...acknowledgedSource(), sourceActive: false }
    expect(rowOf([primary(1, { semiSync: fallen }), replica(2)]).semi).to.equal('off')
    expect(rowOf([primary(1), replica(2)]).semi).to.equal('none')
    expect(rowOf(undefined, { memory: { ...healthy, semiSync: true } }).semi).to.equal('off')
  })

  it('counts findings, and names the worst: errors, then warnings of weight, then advice', () => {
    const { snapshot } = { snapshot: rowInput().snapshot }
    const of = (...codes: readonly ('WARN0055' | 'WARN0234' | 'ERR00161')[]) =>
      rowOf(undefined, { snapshot: { ...snapshot, findings: codes.map((code) => ({ code, detail: '' })) } })
    expect(of('WARN0055', 'WARN0234', 'ERR00161')).to.include({ errors: 1, warnings: 2, worst: 'ERR00161' })
    expect(of('WARN0055', 'WARN0234')).to.include({ errors: 0, worst: 'WARN0234' })
    expect(of('WARN0055')).to.include({ warnings: 1, worst: 'WARN0055' })
    expect(of().worst).to.equal(null)
  })

  it('names the cause of other findings before them', () => {
    const { snapshot } = rowInput()
    const of = (...codes: readonly FindingCode[]) =>
      rowOf(undefined, { snapshot: { ...snapshot, findings: codes.map((code) => ({ code, detail: '' })) } }).worst
    expect(of('WARN0310', 'ERR00012', 'ERR00077', 'ERR00021')).to.equal('ERR00021')
    expect(of('ERR00085', 'ERR00012', 'ERR00004')).to.equal('ERR00004')
    expect(of('ERR00085', 'ERR00002')).to.equal('ERR00002')
    expect(of('ERR00021', 'ERR00022')).to.equal('ERR00022')
  })

  it('names the operation that runs, or the rolling work', () => {
    const { snapshot } = rowInput()
    expect(rowOf(undefined, { snapshot: { ...snapshot, operation: running({ kind: 'switchover' }) } }).op).to.equal(
      'switchover',
    )
    expect(rowOf(undefined, { roll: { phase: 'running', kind: 'restart' } }).op).to.equal('rolling-restart')
    expect(rowOf(undefined, { roll: { phase: 'succeeded', kind: 'restart' } }).op).to.equal(null)
  })

  it('has the pace of writes only of a primary that answers', () => {
    expect(rowOf(undefined, { wps: 3.21 }).wps).to.equal(3.2)
    expect(rowOf(undefined, { wps: 321.6 }).wps).to.equal(322)
    expect(rowOf(undefined, { wps: undefined }).wps).to.equal(null)
    expect(rowOf([server(1, refused), replica(2)], { wps: 5 }).wps).to.equal(null)
  })
})

const rowInput = () => ({
  snapshot: {
    ...({ cluster: 'c1', at: 2_000, topology: 'primary-replica', primary: 'db1', findings: [] } as const),
    servers: [primary(1), replica(2)],
  },
})
