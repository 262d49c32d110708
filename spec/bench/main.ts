// `npm run bench`: measures what was promised, each figure beside a floor of the same run. Minutes, on this machine only.
//
//   npm run bench -- [bench …] [--json FILE]
//
// The exit status is 1 when a target is missed or a bench cannot run, 2 for a wrong command line.
import { writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { SECOND } from '../../lib/base/time.js'
import { benchArchives } from './archives.js'
import { benchBackupStream } from './backup-stream.js'
import { benchBackups } from './backups.js'
import { benchBehindProxy } from './behind-proxy.js'
import { benchBinlogStoring } from './binlog-storing.js'
import { benchCrowd } from './crowd.js'
import { benchDashboard } from './dashboard.js'
import { benchDashboards } from './dashboards.js'
import { benchDecision } from './decision.js'
import { benchEvents } from './events.js'
import { benchFailover } from './failover.js'
import { benchFairness } from './fairness.js'
import { benchFence } from './fence.js'
import { benchFleet } from './fleet.js'
import { benchGateway } from './gateway.js'
import { benchHang } from './hang.js'
import { benchHosts } from './hosts.js'
import { benchMetrics } from './metrics.js'
import { benchProbe } from './probe.js'
import { benchRecording } from './recording.js'
import { benchRegenerate } from './regenerate.js'
import { renderTable } from './report.js'
import type { Bench, BenchRow } from './row.js'
import { benchSeries } from './series.js'
import { benchStart } from './start.js'
import { benchSwitchover } from './switchover.js'

const benches: Readonly<Record<string, Bench>> = {
  start: benchStart,
  decision: benchDecision,
  recording: benchRecording,
  probe: benchProbe,
  archives: benchArchives,
  hosts: benchHosts,
  fairness: benchFairness,
  gateway: benchGateway,
  crowd: benchCrowd,
  metrics: benchMetrics,
  events: benchEvents,
  dashboard: benchDashboard,
  dashboards: benchDashboards,
  fleet: benchFleet,
  series: benchSeries,
  regenerate: benchRegenerate,
  failover: benchFailover,
  switchover: benchSwitchover,
  'behind-proxy': benchBehindProxy,
  hang: benchHang,
  fence: benchFence,
  'backup-stream': benchBackupStream,
  backups: benchBackups,
  'binlog-storing': benchBinlogStoring,
}

const rows: BenchRow[] = []
const failures: string[] = []

async function runBenches(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const startedAt = performance.now()
    process.stderr.write(`${name} … `)
    try {
      rows.push(...((await benches[name]?.()) ?? []))
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
    process.stderr.write(`${((performance.now() - startedAt) / SECOND).toFixed(1)} s\n`)
  }
}

/** Prints what was measured and ends the process; 'exit' listeners end what was started. */
function report(json: string | undefined): never {
  const machine = { node: process.version, system: release(), processors: cpus().map(({ model }) => model) }
  if (json) writeFileSync(json, `${JSON.stringify({ startedAt, machine, rows, failures }, null, 2)}\n`)
  process.stdout.write(`${renderTable(rows)}\n`)
  for (const failure of failures) process.stderr.write(`${failure}\n`)
  process.exit(failures.length > 0 || rows.some(({ ok }) => ok === false) ? 1 : 0)
}

function complain(text: string): never {
  process.stderr.write(`${text}\nbenches: ${Object.keys(benches).join(' ')}; options: --json FILE\n`)
  process.exit(2)
}

function readCommandLine(): { readonly names: readonly string[]; readonly json: string | undefined } {
  try {
    const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
    const unknown = positionals.filter((name) => !(name in benches))
    if (unknown.length > 0) complain(`no bench of this name: ${unknown.join(' ')}`)
    return { names: positionals.length > 0 ? positionals : Object.keys(benches), json: values.json }
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error))
  }
}

const startedAt = new Date()
const { names, json } = readCommandLine()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    failures.push(`ended by ${signal}`)
    report(json)
  })
await runBenches(names)
report(json)
