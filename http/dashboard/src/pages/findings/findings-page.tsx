// What is wrong anywhere, by code: one line for what many clusters have, opened to where exactly, answered for all of them at once.
import { useMemo } from 'preact/hooks'
import { findAnswer, readAlertBoard } from '../../model/upkeep/alert-board.js'
import {
  type FindingGroup,
  type FleetFinding,
  filterGroups,
  groupFindings,
  renderExtent,
} from '../../model/upkeep/finding-groups.js'
import { useQuery } from '../../parts/address.js'
import { Empty, Failed, Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Table } from '../../parts/list/table.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { Answer } from '../alerts/answered-table.js'
import { remediesOf } from '../cluster/actions/remedies.js'
import { RespondForm } from './respond-form.js'
import './findings.css'

const EVERY_MS = 10_000

const severities = [
  ['', 'All'],
  ['error', 'Errors'],
  ['warning', 'Warnings'],
] as const

export function page() {
  const reading = useReading('GET /api/global/alerts', { every: EVERY_MS })
  const { query, setQuery } = useQuery()
  const { q: words = '', severity = '', code } = query
  const board = useReading('GET /api/alerts', { every: EVERY_MS })
  const answerOf = useMemo(() => findAnswer(readAlertBoard(board.value).answered), [board.value])
  const all = useMemo(() => groupFindings(reading.value), [reading.value])
  const groups = filterGroups(all, { words, severity })
  const count = (of: string) => all.filter((group) => of === '' || group.severity === of).length
  return (
    <div class="page findings-page">
      <header class="row">
        <h1>Findings</h1>
        {reading.isStale && reading.at !== undefined && (
          <Tag tone="warning">
            as of <Moment at={reading.at} as="time" />
          </Tag>
        )}
      </header>
      {reading.value === undefined ? (
        reading.failure ? (
          <Failed failure={reading.failure} onRetry={reading.reload} />
        ) : (
          <Loading />
        )
      ) : (
        <>
          <search class="findings-filter">
            <fieldset class="choices">
              <legend class="hidden">Severity</legend>
              {severities.map(([key, title]) => (
                <button
                  key={key}
                  type="button"
                  class="button"
                  aria-pressed={severity === key}
                  onClick={() => setQuery({ severity: key })}
                >
                  {title} <span class="count">{count(key)}</span>
                </button>
              ))}
            </fieldset>
            <input
              type="search"
              aria-label="Code, text, cluster or server"
              placeholder="Code, text, cluster or server"
              value={words}
              onInput={(event) => setQuery({ q: event.currentTarget.value })}
            />
          </search>
          {groups.length === 0 && (
            <Empty>{all.length === 0 ? 'No finding is open on any cluster.' : 'No open finding fits.'}</Empty>
          )}
          <ul class={`finding-groups ${reading.isStale ? 'stale' : ''}`}>
            {groups.map((group) => (
              <Group
                key={`${group.severity} ${group.code}`}
                group={group}
                answerOf={answerOf}
                isOpen={code === group.code}
                onTurn={() => setQuery({ code: code === group.code ? undefined : group.code })}
              />
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

type AnswerOf = ReturnType<typeof findAnswer>

interface GroupProps {
  readonly group: FindingGroup
  readonly answerOf: AnswerOf
  readonly isOpen: boolean
  readonly onTurn: () => void
}

function Group({ group, answerOf, isOpen, onTurn }: GroupProps) {
  const { code, severity, sentence, hint, runbook, findings } = group
  const answers = findings.map(({ cluster, server }) => answerOf(cluster, code, server))
  const isAnswered = answers.every((answer) => answer?.acknowledged ?? answer?.silenced)
  const hasRemedy = me.value?.readOnly === false && remediesOf(code, findings).length > 0
  return (
    <li>
      <button type="button" class="finding-group" aria-expanded={isOpen} onClick={onTurn}>
        <StateMark state={severity === 'error' ? 'broken' : 'degraded'} word={severity} compact />
        <span class="mono finding-code">{code}</span>
        <span class="finding-sentence">
          {sentence} {isAnswered && <Tag tone="good">answered</Tag>}
        </span>
        <span class="number finding-extent">{renderExtent(group)}</span>
      </button>
      {isOpen && (
        <div class="finding-inside">
          {hint !== undefined && <p class="muted">{hint}</p>}
          {runbook !== undefined && (
            <p>
              <a href={runbook} target="_blank" rel="noreferrer">
                Runbook of {code}
              </a>
            </p>
          )}
          {hasRemedy && (
            <p>
              <a class="button" href={`/findings/${encodeURIComponent(code)}/remedy`}>
                Remedy on {renderExtent(group)}…
              </a>
            </p>
          )}
          <Where findings={findings} answers={answers} />
          <RespondForm key={code} group={group} />
        </div>
      )}
    </li>
  )
}

interface WhereProps {
  readonly findings: readonly FleetFinding[]
  /** Of each. */
  readonly answers: readonly ReturnType<AnswerOf>[]
}

function Where({ findings, answers }: WhereProps) {
  const answerOf = new Map(findings.map((finding, at) => [finding, answers[at]]))
  const hasAnswers = answers.some((answer) => answer !== undefined)
  const hasServers = findings.some(({ server }) => server !== undefined)
  const hasDetails = findings.some(({ detail }) => detail !== '')
  return (
    <Table
      caption="Where it is open"
      rows={findings}
      keyOf={({ cluster, server, text }) => `${cluster} ${server} ${text}`}
      limit={50}
      columns={[
        {
          key: 'cluster',
          head: 'Cluster',
          sort: ({ cluster }) => cluster,
          wide: !hasDetails,
          cell: ({ cluster }) =>
            cluster === '' ? 'the manager' : <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>,
        },
        ...(hasServers
          ? [
              {
                key: 'server',
                head: 'Server',
                sort: ({ server }: FleetFinding) => server ?? '',
                cell: ({ cluster, server }: FleetFinding) =>
                  server !== undefined && (
                    <a href={`/c/${encodeURIComponent(cluster)}/s/${encodeURIComponent(server)}`}>{server}</a>
                  ),
              },
            ]
          : []),
        ...(hasDetails
          ? [{ key: 'detail', head: 'Detail', wide: true, cell: ({ detail }: FleetFinding) => detail }]
          : []),
        ...(hasAnswers
          ? [
              {
                key: 'answer',
                head: 'Answer',
                cell: (finding: FleetFinding) => {
                  const answer = answerOf.get(finding)
                  return answer && <Answer alert={answer} />
                },
              },
            ]
          : []),
      ]}
    />
  )
}
