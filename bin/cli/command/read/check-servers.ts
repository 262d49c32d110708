// `check servers`: what keeps the servers of a cluster from being protected, server by server, before it matters.
import type { Command } from 'commander'
import {
  addressText,
  answers,
  gradeState,
  isClosedPrimary,
  type WireAlerts,
  type WireServer,
} from '../../../../http/client/wire.js'
import { blockingRules, type Explanation, isPeaceful, waitsOf } from '../../answer/explanation.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { EXIT, Exit } from '../../output/exit.js'
import { paint, type Style } from '../../output/paint.js'
import { type Column, renderTable } from '../../output/table.js'
import { readTopology } from './topology.js'

type Grade = 'ok' | 'warning' | 'error'

interface CheckRow {
  readonly subject: string
  readonly check: string
  readonly grade: Grade
  readonly detail: string
}

interface Report {
  readonly cluster: string
  readonly ready: boolean
  readonly checks: readonly CheckRow[]
}

export function addCheckServers(check: Command, { flags, session }: Context): void {
  canWatch(check.command('servers'))
    .description('whether every server answers, replicates and may be managed, and whether a failover would succeed')
    .action(async () => {
      const cluster = await chooseCluster(session(), flags())
      let ready = true
      const read = async (): Promise<Report> => {
        const [{ servers }, alerts, verdict] = await Promise.all([
          readTopology(session(), cluster),
          call(session(), 'GET /api/clusters/:cluster/topology/alerts', { params: { cluster } }),
          call(session(), 'GET /api/clusters/:cluster/failover/explain', { params: { cluster } }),
        ])
        const checks = judgeServers(servers, alerts, verdict)
        ready = checks.every(({ grade }) => grade !== 'error')
        return { cluster, ready, checks }
      }
      await present(flags(), { read, render: renderReport })
      if (!ready) throw new Exit(EXIT.refused, '')
    })
}

/** Every server by its own fields and findings, then the cluster as a whole. */
export function judgeServers(
  servers: readonly WireServer[],
  { errors, warnings }: WireAlerts,
  verdict: Explanation,
): readonly CheckRow[] {
  const findings = [
    ...errors.map((alert) => ({ ...alert, grade: 'error' as const })),
    ...warnings.map((alert) => ({ ...alert, grade: 'warning' as const })),
  ]
  const rowsOf = (subject: string, isOf: (server: string | undefined) => boolean): readonly CheckRow[] =>
    findings
      .filter(({ server }) => isOf(server))
      .map(({ number, desc, hint, grade }) => ({
        ...{ subject, check: number, grade },
        detail: [desc, hint].filter(Boolean).join(' '),
      }))
  const names = new Set(servers.map(({ name }) => name))
  return [
    ...servers.flatMap((server) => [
      ...judgeServer(server),
      ...rowsOf(addressText(server), (name) => name === server.name),
    ]),
    ...rowsOf('cluster', (name) => name === undefined || !names.has(name)),
    judgeFailover(verdict),
  ]
}

function judgeServer(server: WireServer): readonly CheckRow[] {
  const subject = addressText(server)
  const row = (check: string, passes: boolean, [good, bad]: readonly [string, string]): CheckRow => ({
    ...{ subject, check, grade: passes ? 'ok' : 'error', detail: passes ? good : bad },
  })
  // Left out of what is judged of the cluster, as in share/doc/health.md.
  if (server.isMaintenance)
    return [{ subject, check: 'maintenance', grade: 'warning', detail: 'left out of decisions on request' }]
  const isUp = answers(server)
  const reached = row('answers', isUp, [
    'answers the manager',
    `is ${server.state}: ${server.lastError || 'no answer'}`,
  ])
  if (!isUp) return [reached]
  const isSource = server.state === 'Master'
  return [
    reached,
    row('binary log', server.haveBinlog !== false, ['on', 'log_bin is off: it cannot become the primary']),
    row('role', gradeState(server.state) === 'good' && !isClosedPrimary(server), [
      isSource ? 'primary' : `replica, ${server.replicationHealth || 'replicates'}`,
      isClosedPrimary(server)
        ? 'primary, and not writable'
        : `${server.state}: ${server.replicationHealth || 'neither primary nor running replica'}`,
    ]),
  ]
}

function judgeFailover(verdict: Explanation): CheckRow {
  const [first] = blockingRules(verdict)
  const name = verdict.servers?.[verdict.candidate ?? ''] ?? verdict.candidate
  const waits = waitsOf(verdict)
  if (isPeaceful(verdict) && !first && waits !== undefined)
    return { subject: 'cluster', check: 'failover', grade: 'warning', detail: `${name} would take over late: ${waits}` }
  if (isPeaceful(verdict) && !first && name !== undefined)
    return {
      subject: 'cluster',
      check: 'failover',
      grade: 'ok',
      detail: `${name} would take over; ${verdict.loss.reason}`,
    }
  const detail = first ? `${first.rule}: ${first.sentence}` : 'no server would take over'
  return { subject: 'cluster', check: 'failover', grade: 'error', detail }
}

const styles: Readonly<Record<Grade, Style>> = { ok: 'green', warning: 'yellow', error: 'red' }

const columns: readonly Column<CheckRow>[] = [
  { title: 'subject', isKey: true, text: ({ subject }) => subject },
  { title: 'check', isKey: true, text: ({ check }) => check },
  { title: 'result', isKey: true, text: ({ grade }) => grade, style: ({ grade }) => styles[grade] },
  { title: 'detail', text: ({ detail }) => detail },
]

const renderReport = ({ cluster, ready, checks }: Report): string =>
  [
    renderTable(columns, checks),
    '',
    ready ? paint('green', `${cluster} is ready.`) : paint('red', `${cluster} is not ready: see the errors above.`),
  ].join('\n')
