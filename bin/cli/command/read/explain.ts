// `explain`: would the manager fail over now, each rule with its inputs, the candidate, and what would be lost.
import type { Command } from 'commander'
import type { Candidate, FailoverRule } from '../../../../http/client/api/generated.js'
import { type Explanation, stateOf, summarise } from '../../answer/explanation.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { present } from '../../kit/present.js'
import { canWatch } from '../../kit/watchable.js'
import { paint, widthOf } from '../../output/paint.js'
import { type Column, renderTable, wrap } from '../../output/table.js'

export function addExplain(program: Command, { flags, session }: Context): void {
  canWatch(program.command('explain'))
    .description(
      'whether the manager would fail over now: every rule with its inputs, the candidate, the expected loss',
    )
    .action(async () => {
      const cluster = await chooseCluster(session(), flags())
      const read = () => call(session(), 'GET /api/clusters/:cluster/failover/explain', { params: { cluster } })
      await present(flags(), { read, render: renderExplanation })
    })
}

export function renderExplanation(verdict: Explanation): string {
  const { rows, ranking, servers = {} } = verdict
  const name = (id: string): string => servers[id] ?? id
  const width = widthOf(process.stdout)
  const [rules, detail] = [ruleColumns(verdict), width < ROOMY ? [says] : [...figures, says]]
  return [
    ...summarise(verdict).map(({ head, style, text }) =>
      wrap(head + text, width)
        .join('\n')
        .replace(head, paint(style, head)),
    ),
    '',
    renderTable([...rules, ...detail], rows),
    ...(ranking.length === 0 ? [] : ['', renderTable(rankColumns(name), ranking)]),
  ].join('\n')
}

/** From this terminal width on, the figures have their own column; the sentences contain them as well. */
const ROOMY = 140

const ruleColumns = (verdict: Explanation): readonly Column<FailoverRule>[] => [
  { title: 'rule', isKey: true, text: ({ rule }) => rule },
  { title: 'state', text: (row) => stateOf(row, verdict).word, style: (row) => stateOf(row, verdict).style },
]

const figures: readonly Column<FailoverRule>[] = [
  { title: 'value', text: ({ value }) => value },
  { title: 'limit', text: ({ limit }) => limit },
  { title: 'age', align: 'right', text: ({ ageMs }) => (ageMs === undefined ? '' : `${(ageMs / 1000).toFixed(1)} s`) },
]

const says: Column<FailoverRule> = { title: 'detail', text: ({ sentence }) => sentence }

const rankColumns = (name: (id: string) => string): readonly Column<Candidate>[] => [
  { title: 'rank', align: 'right', text: ({ rank }) => (rank === undefined ? '-' : String(rank)) },
  { title: 'replica', text: ({ server }) => name(server) },
  { title: 'unapplied', align: 'right', text: ({ unapplied }) => String(unapplied) },
  { title: 'missing', align: 'right', text: ({ missing }) => String(missing) },
  { title: 'why', text: ({ code, reason }) => [code, reason].filter(Boolean).join(' ') },
]
