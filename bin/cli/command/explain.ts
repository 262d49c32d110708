// `explain`: would the manager fail over now, each rule with its inputs, the candidate, and what would be lost.
import type { Command } from 'commander'
import { clusterPath } from '../../../http/client/wire.js'
import { counted } from '../../../lib/base/counted.js'
import type { CandidateRow, FailoverVerdict, VetoRow } from '../../../lib/model/verdict.js'
import { call, chooseCluster } from '../kit/connect.js'
import type { Context } from '../kit/context.js'
import { present } from '../kit/present.js'
import { canWatch } from '../kit/watchable.js'
import { paint, type Style, widthOf } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'

/** The verdict as `C/failover/explain` answers it: with the names of the servers by id. */
export type Explanation = FailoverVerdict & { readonly servers?: Readonly<Record<string, string>> }

export function addExplain(program: Command, { flags, session }: Context): void {
  canWatch(program.command('explain'))
    .description(
      'whether the manager would fail over now: every rule with its inputs, the candidate, the expected loss',
    )
    .action(async () => {
      const cluster = await chooseCluster(session(), flags())
      const read = () => call(session(), `GET ${clusterPath(cluster, 'failover', 'explain')}`) as Promise<Explanation>
      await present(flags(), { read, render: renderExplanation })
    })
}

export function renderExplanation(verdict: Explanation): string {
  const { wouldFailOver, primary, primaryDead, evidence, candidate, rows, ranking, loss, servers = {} } = verdict
  const name = (id: string | undefined): string => (id === undefined ? 'none' : (servers[id] ?? id))
  const answer = wouldFailOver ? paint('red', 'yes') : paint('green', 'no')
  return [
    `Would fail over now: ${answer}`,
    `Primary ${name(primary)} is ${primaryDead ? 'dead' : 'not dead'} (evidence ${evidence}); candidate ${name(candidate)}.`,
    `If the primary died now, ${lossText(loss)} would be lost: ${loss.reason}`,
    '',
    renderTable(widthOf(process.stdout) < ROOMY ? briefColumns : ruleColumns, rows),
    ...(ranking.length === 0 ? [] : ['', renderTable(rankColumns(name), ranking)]),
  ].join('\n')
}

const styles: Readonly<Record<VetoRow['state'], Style>> = {
  clear: 'green',
  closed: 'red',
  waiting: 'yellow',
  off: 'dim',
}

/** From this terminal width on, the figures have their own column; the sentences contain them as well. */
const ROOMY = 140

const named: readonly Column<VetoRow>[] = [
  { title: 'rule', isKey: true, text: ({ rule }) => rule },
  { title: 'state', text: ({ state }) => state, style: ({ state }) => styles[state] },
]

const figures: readonly Column<VetoRow>[] = [
  { title: 'value', text: ({ value }) => value },
  { title: 'limit', text: ({ limit }) => limit },
  { title: 'age', align: 'right', text: ({ ageMs }) => (ageMs === undefined ? '' : `${(ageMs / 1000).toFixed(1)} s`) },
]

const says: Column<VetoRow> = { title: 'detail', text: ({ sentence }) => sentence }

const ruleColumns = [...named, ...figures, says]
const briefColumns = [...named, says]

const rankColumns = (name: (id: string) => string): readonly Column<CandidateRow>[] => [
  { title: 'rank', align: 'right', text: ({ rank }) => (rank === undefined ? '-' : String(rank)) },
  { title: 'replica', text: ({ server }) => name(server) },
  { title: 'unapplied', align: 'right', text: ({ unapplied }) => String(unapplied) },
  { title: 'missing', align: 'right', text: ({ missing }) => String(missing) },
  { title: 'why', text: ({ code, reason }) => [code, reason].filter(Boolean).join(' ') },
]

function lossText({ kind, transactions }: FailoverVerdict['loss']): string {
  if (kind === 'none') return 'no transaction'
  if (kind === 'unknown' || transactions === undefined) return 'an unknown number of transactions'
  return `${kind === 'at-most' ? 'at most' : 'at least'} ${counted(transactions, 'transaction')}`
}
