// One definition of health: of every small cluster, each place that says something about it says what the definition says.
import { expect } from 'chai'
import { flagWords } from '../../../actors/cluster/publish/flags.js'
import { slaState } from '../../../actors/cluster/state/step/evaluate.js'
import { FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import { renderClusterViews } from '../../../http/api/views/index.js'
import { gradeState, type WireServer } from '../../../http/client/wire.js'
import { judgeState, noteState } from '../../../lib/decide/cluster-state.js'
import { judgeCondition } from '../../../lib/decide/condition.js'
import { fleetRow } from '../../../lib/decide/fleet-row.js'
import { collectSamples } from '../../../lib/metrics/samples.js'
import { findings as registry } from '../../../lib/model/findings.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import { viewInput } from '../../support/http/view-input.js'
import {
  donor,
  type JudgedSituation,
  member,
  primary,
  refused,
  replica,
  silent,
  situation,
} from '../../support/simulator/situation.js'

/** A server in one condition, with what is true of it by the words of share/doc/health.md. */
interface Case {
  readonly name: string
  readonly make: (number: number) => ServerSnapshot
  readonly isWriter?: true
  readonly isValid?: true
  readonly isReader?: true
  /** Left out of what is said of the cluster. */
  readonly isAway?: true
}

const primaries: readonly Case[] = [
  { name: 'writable', make: () => primary(), isWriter: true },
  { name: 'read-only', make: () => primary(1, { readOnly: true }) },
  { name: 'in maintenance', make: () => primary(1, {}, { maintenance: true }), isAway: true },
  { name: 'gone', make: () => primary(1, {}, refused) },
  { name: 'silent', make: () => primary(1, {}, silent(300)) },
]

const replicas: readonly Case[] = [
  { name: 'follows', make: (number) => replica(number), isValid: true, isReader: true },
  { name: 'has stopped', make: (number) => replica(number, { io: 'stopped', sql: 'stopped' }) },
  { name: 'is late', make: (number) => replica(number, { lagSeconds: 3_600 }) },
  {
    name: 'is kept behind',
    make: (number) => replica(number, { delaySeconds: 3_600, lagSeconds: 3_600 }),
    isValid: true,
  },
  { name: 'is in maintenance', make: (number) => replica(number, { server: { maintenance: true } }), isAway: true },
  { name: 'is gone', make: (number) => replica(number, { server: refused }) },
]

const rules = { readOnPrimary: false, readOnPrimaryWithoutReplica: false, sourceName: '', owned: true, frozen: false }

/** What each place says, by the words. */
function said({ snapshot, memory, settings, now }: JudgedSituation) {
  const { up, running, failable, healthy } = judgeCondition(snapshot, memory)
  const input = viewInput({ snapshot, memory })
  const view = (name: 'cluster' | 'status' | 'alerts' | 'servers') =>
    JSON.parse(Buffer.from(renderClusterViews[name](input)).toString())
  const cluster = view('cluster')
  const samples = collectSamples({ snapshot, memory }).known
  const metric = (name: 'manager_cluster_up' | 'manager_cluster_failable' | 'manager_cluster_healthy') =>
    samples.get(name)?.[0]?.value === 1
  const errors = samples.get('manager_cluster_findings')?.find(({ labels }) => labels.severity === 'error')?.value
  const words = flagWords(snapshot, { ...rules, mayOpen: () => true })
  const holding = (flag: number) =>
    snapshot.servers.filter((_, at) => ((words[at] ?? 0) & flag) !== 0).map(({ id }) => id)
  const row = fleetRow({
    ...{ snapshot, memory: noteState(memory, snapshot, now), ready: true, wps: undefined },
    settings: { ...settings, 'cluster-tags': [] },
    verdict: { loss: { kind: 'none', reason: '' } },
  })
  const sla = slaState(snapshot, memory)
  const state = judgeState(snapshot, memory)
  return {
    up: [
      up,
      !cluster.isDown,
      metric('manager_cluster_up'),
      sla.up,
      state !== 'down',
      holding(FLAG_VALID_PRIMARY).length > 0,
    ],
    running: [
      running,
      view('status').alive === 'running',
      view('alerts').errors.length === 0,
      errors === 0,
      row.errors === 0,
    ],
    failable: [failable, cluster.isFailable, metric('manager_cluster_failable'), sla.failable],
    healthy: [healthy, cluster.isHealthy, cluster.healthFaults.length === 0, metric('manager_cluster_healthy')],
    states: [state, row.state],
    writers: [holding(FLAG_VALID_PRIMARY)],
    readers: [holding(FLAG_VALID_REPLICA)],
    /** By the client, of what the API shows. */
    valid: (view('servers') as readonly WireServer[])
      .filter(({ id, state: name }) => id !== snapshot.primary && gradeState(name) === 'good')
      .map(({ id }) => id),
  }
}

describe('judgeCondition', () => {
  for (const first of primaries)
    it(`is what every place says while the primary is ${first.name}`, () => {
      for (const one of replicas)
        for (const other of replicas) {
          const cases = [first, one, other]
          const what = cases.map(({ name }) => name).join(', ')
          const judged = situation(cases.map(({ make }, at) => make(at + 1)))
          const ids = (has: (one: Case) => true | undefined) =>
            cases.flatMap((each, at) => (has(each) ? [`db${at + 1}`] : []))
          const isRunning = judged.snapshot.findings.every(({ code }) => registry[code].severity !== 'error')
          const isUp = first.isWriter === true
          const isFailable = isUp && isRunning && ids(({ isReader }) => isReader).length > 0
          const isHealthy = isUp && isRunning && [one, other].every(({ isValid, isAway }) => isValid || isAway)
          const found = said(judged)
          expect(new Set(found.up), `${what}: up`).to.deep.equal(new Set([isUp]))
          expect(new Set(found.running), `${what}: running`).to.deep.equal(new Set([isRunning]))
          expect(new Set(found.failable), `${what}: failable`).to.deep.equal(new Set([isFailable]))
          expect(new Set(found.healthy), `${what}: healthy`).to.deep.equal(new Set([isHealthy]))
          expect(new Set(found.states).size, `${what}: ${found.states}`).to.equal(1)
          if (found.states[0] === 'healthy') expect(isFailable && isHealthy, what).to.equal(true)
          expect(found.writers[0], `${what}: writers`).to.deep.equal(ids(({ isWriter }) => isWriter))
          expect(found.readers[0], `${what}: readers`).to.deep.equal(ids(({ isReader }) => isReader))
          expect(found.valid, `${what}: valid replicas`).to.deep.equal(ids(({ isValid }) => isValid))
          if (isUp && found.readers[0]?.length === 0)
            expect(
              judged.snapshot.findings.map(({ code }) => code),
              what,
            ).to.include('ERR00085')
        }
    })

  it('counts a synced member of a Galera cluster as valid, and a donor not', () => {
    for (const [galera, isValid] of [
      [member(2), true],
      [member(2, donor), false],
    ] as const) {
      const judged = situation([member(1), galera, member(3)])
      const found = said(judged)
      expect(found.valid).to.have.lengthOf(isValid ? 2 : 1)
      expect(new Set(found.healthy)).to.deep.equal(new Set([isValid]))
    }
  })
})
