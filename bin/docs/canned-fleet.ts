// The fleet that the captures of screens.md show: the same at every build, in trouble where that is instructive.
import { exampleTiers } from '../../http/api/kit/example-tiers.js'
import type { WireAlerts } from '../../http/client/wire.js'
import type { FleetRow } from '../../lib/model/fleet/row.js'
import type { Preview } from '../../lib/model/operation/preview.js'
import type { Explanation } from '../cli/answer/explanation.js'
import type { Task } from '../cli/answer/jobs.js'
import type { TopologyReport } from '../cli/command/read/topology.js'

const row = (name: string, changes: Partial<FleetRow> = {}): FleetRow => ({
  ...{ name, state: 'healthy', primary: 'db1', topology: 'master-slave', mode: 'automatic', flags: [] },
  ...{ up: 3, of: 3, lag: 0, semi: 'on', loss: 0, errors: 0, warnings: 0, worst: null, op: null },
  ...{ at: 1_795_440_000_000, wps: 120, tags: ['prod'] },
  ...changes,
})

export const fleet: readonly FleetRow[] = [
  row('billing'),
  row('catalogue', { state: 'degraded', semi: 'off', warnings: 1, lag: 41, loss: 12, worst: 'WARN0234' }),
  row('mail', { op: 'switchover' }),
  row('search', { flags: ['paused'] }),
  row('shop', { state: 'down', up: 1, lag: null, loss: null, errors: 2, worst: 'ERR00032' }),
  row('users', { state: 'broken', up: 2, errors: 1, worst: 'ERR00161' }),
]

export const topology: TopologyReport = {
  ...{ cluster: 'billing', topology: 'multi-tier-slave', mode: 'automatic' },
  servers: exampleTiers,
}

export const alerts: WireAlerts = {
  errors: [
    {
      ...{ number: 'ERR00161', server: 'db3' },
      desc: 'A replica cannot connect to its source, which answers the manager. db3: connect ETIMEDOUT 10.0.0.12:3306',
      hint: 'The detail has its error: check the network between the two.',
    },
  ],
  warnings: [
    {
      number: 'WARN0390',
      desc: 'A switchover is scheduled. To db2, from 2026-11-24T02:30:00.000Z.',
      hint: 'manager-cli switchover --scheduled shows its plan.',
    },
  ],
}

export const peace: Explanation = {
  ...{ at: 0, wouldFailOver: false, primaryDead: false, evidence: 'none', primary: 'db1', candidate: 'db2' },
  rows: [
    ['failover-mode', 'ERR00002', 'clear', 'The manager may fail over automatically.'],
    ['failover-falsepositive-ping-counter', 'WARN0023', 'waiting', '10.0.0.11:3306 answers.'],
    [
      ...(['failover-falsepositive-heartbeat', 'ERR00028', 'closed'] as const),
      'Replicas still receive from the primary: it is healthy.',
    ],
    ['candidate', 'ERR00032', 'clear', '10.0.0.12:3306 would take over.'],
  ].map(([rule, code, state, sentence]) => ({ rule, code, state, sentence, value: '', limit: '' })) as never,
  ranking: [
    { server: 'db2', eligible: true, rank: 1, reason: 'it received most', received: {}, unapplied: 0, missing: 0 },
    { server: 'db4', eligible: true, rank: 2, reason: 'it received most', received: {}, unapplied: 0, missing: 0 },
  ],
  ...{ operation: null, lastOperation: null },
  loss: { kind: 'none', reason: 'Every commit waits (AFTER_SYNC) for a replica; 2 acknowledge and can be promoted.' },
  servers: { db1: '10.0.0.11:3306', db2: '10.0.0.12:3306', db4: '10.0.0.14:3306' },
}

export const plan: Preview = {
  ...{ kind: 'switchover', possible: true, expectedBlockedMs: 32, risks: [] },
  steps: [
    { text: 'Refuse while statements write for long on 10.0.0.11:3306', expectedMs: 5, blocksWrites: false },
    { text: 'Block writes on 10.0.0.11:3306', expectedMs: 10, blocksWrites: true },
    { text: 'Wait until 10.0.0.12:3306 has applied everything', expectedMs: 10, blocksWrites: true },
    { text: 'Open 10.0.0.12:3306 for writes', expectedMs: 5, blocksWrites: true },
    { text: '10.0.0.11:3306 and the others follow 10.0.0.12:3306', expectedMs: 40, blocksWrites: false },
  ],
}

export const jobs: readonly Task[] = [
  {
    id: 1,
    task: 'provision',
    server: '10.0.0.13:3306',
    user: 'ann',
    state: 4,
    phase: 'done',
    start: 1_795_440_000,
    end: 1_795_440_041,
  },
  { id: 2, task: 'restart', server: '10.0.0.14:3306', user: 'ann', state: 1, phase: 'running', start: 1_795_440_100 },
]

export const host = {
  host: {
    ...{ hostname: 'manager1', cpuCores: 4, cpuPercent: 12.5, memoryTotalBytes: 8e9, memoryUsedBytes: 2e9 },
    ...{ memoryUsedPercent: 25, diskPath: '/var/lib/manager', diskTotalBytes: 100e9, diskUsedBytes: 81e9 },
    diskUsedPercent: 81,
  },
  process: {
    pid: 4711,
    rssBytes: 131e6,
    heapAllocBytes: 39e6,
    heapSysBytes: 41e6,
    goroutines: 23,
    uptimeSeconds: 1_209_660,
  },
}
