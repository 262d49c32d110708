// `check cluster`: one line and an exit status for cron, and the form of a plugin of Nagios and Icinga.
import type { Command } from 'commander'
import { problemOf } from '../../../../http/client/fleet.js'
import type { Session } from '../../../../http/client/session.js'
import type { WireAlerts } from '../../../../http/client/wire.js'
import { counted } from '../../../../lib/base/counted.js'
import type { FleetRow, FleetState } from '../../../../lib/model/fleet/row.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { EXIT, Exit } from '../../output/exit.js'
import { print } from '../../output/output.js'

/** The words of plugins and their exit statuses. */
export const grades = { OK: 0, WARNING: 1, CRITICAL: 2, UNKNOWN: 3 } as const
export type Grade = keyof typeof grades

export interface CheckReport {
  readonly grade: Grade
  /** What the grade rests on, one sentence. */
  readonly summary: string
  readonly row: FleetRow
  /** Open findings, the errors first. */
  readonly findings: readonly string[]
}

export function addCheckCluster(check: Command, { flags, session }: Context): void {
  canWatch(check.command('cluster'))
    .description(
      'whether the cluster takes writes and a replica could take over: OK, WARNING or CRITICAL. Ends with 1 where it is CRITICAL or UNKNOWN',
    )
    .option(
      '--nagios',
      'one line with performance data and the exit statuses of a Nagios or Icinga plugin: 0 to 3',
      false,
    )
    .action(async ({ nagios }: { readonly nagios: boolean }) => {
      const read = async () => readCheck(session(), await chooseCluster(session(), flags()))
      if (nagios) return runPlugin(read)
      let grade: Grade = 'OK'
      const judged = async () => {
        const report = await read()
        grade = report.grade
        return report
      }
      await present(flags(), { read: judged, render: renderCheck })
      if (isBad(grade)) throw new Exit(EXIT.error, '')
    })
}

/** A plugin writes to standard output alone, and what it could not find out is UNKNOWN. */
async function runPlugin(read: () => Promise<CheckReport>): Promise<void> {
  const grade = await read().then(
    (report) => {
      print(renderPlugin(report))
      return report.grade
    },
    (error: unknown): Grade => {
      print(`UNKNOWN - ${withoutBar(error instanceof Error ? error.message : String(error))}`)
      return 'UNKNOWN'
    },
  )
  if (grade !== 'OK') throw new Exit(grades[grade], '')
}

async function readCheck(session: Session, cluster: string): Promise<CheckReport> {
  const [fleet, alerts] = await Promise.all([
    call(session, 'GET /api/fleet'),
    call(session, 'GET /api/clusters/:cluster/topology/alerts', { params: { cluster } }),
  ])
  const row = fleet.find(({ name }) => name === cluster)
  if (!row) throw new Exit(EXIT.notFound, `no cluster is named ${cluster}`)
  return judgeCheck(row, alerts)
}

/** CRITICAL: no client can write, or an error is open. WARNING: the state is degraded. Other warnings are counted only. */
export function judgeCheck(row: FleetRow, { errors, warnings }: WireAlerts): CheckReport {
  const grade = row.errors > 0 ? 'CRITICAL' : byState[row.state]
  const writes = row.state === 'down' ? 'no primary takes writes' : `${row.primary || 'no server'} is the primary`
  const servers = `${row.up} of ${counted(row.of, 'server')} ${row.up === 1 ? 'answers' : 'answer'}`
  const problem = grade === 'OK' ? '' : problemOf(row)
  return {
    grade,
    summary: `${row.name} is ${row.state}: ${writes}, ${servers}${problem === '' ? '' : `; ${problem}`}`,
    row,
    findings: [...errors, ...warnings].map(({ number, desc }) => `${number} ${desc}`),
  }
}

const byState: Readonly<Record<FleetState, Grade>> = {
  ...{ healthy: 'OK', degraded: 'WARNING', broken: 'CRITICAL', down: 'CRITICAL', unknown: 'UNKNOWN' },
}

const isBad = (grade: Grade): boolean => grade === 'CRITICAL' || grade === 'UNKNOWN'

const renderCheck = ({ grade, summary, findings }: CheckReport): string =>
  [`${grade}: ${summary}`, ...findings].join('\n')

/** The first line ends with the performance data; the findings follow as its long output. */
export function renderPlugin({ grade, summary, row, findings }: CheckReport): string {
  const figures = [
    `errors=${row.errors};;0`,
    `warnings=${row.warnings}`,
    `servers_up=${row.up};;;0;${row.of}`,
    ...(row.lag === null ? [] : [`lag=${row.lag}s`]),
  ]
  return [`${grade} - ${withoutBar(summary)} | ${figures.join(' ')}`, ...findings.map(withoutBar)].join('\n')
}

/** A bar begins the performance data: texts have none. */
const withoutBar = (text: string): string => text.replaceAll('|', '/').replaceAll('\n', ' ')
