// Would it fail over now, what would be lost if the primary died now, rule by rule; who would take over and why the others would not.

import type { ClusterFacts } from '../../../model/cluster/cluster.js'
import { lossText, type Ranked, type Readiness, type Rule, waitsOf } from '../../../model/cluster/readiness.js'
import type { State } from '../../../model/state.js'
import { Empty, Failed } from '../../../parts/basic/empty.js'
import { Panel } from '../../../parts/basic/panel.js'
import { StateMark } from '../../../parts/basic/state-mark.js'
import type { Known } from '../../../store/cluster/live.js'
import { renderCount, renderDuration } from '../../../text/numbers.js'

export interface ReadinessPanelProps {
  readonly readiness: Known<Readiness>
  readonly facts: ClusterFacts | undefined
  readonly isStale: boolean
}

export function ReadinessPanel({ readiness: { value, failure }, facts, isStale }: ReadinessPanelProps) {
  return (
    <Panel title="Readiness" stale={isStale}>
      {value ? (
        <Verdict readiness={value} facts={facts} />
      ) : failure ? (
        <Failed failure={failure} />
      ) : (
        <Empty>Not read yet.</Empty>
      )}
    </Panel>
  )
}

function Verdict({ readiness, facts }: { readonly readiness: Readiness; readonly facts: ClusterFacts | undefined }) {
  const { rules, ranking, loss, candidate, primary } = readiness
  const isSafe = loss.kind === 'none'
  const waits = waitsOf(readiness)
  return (
    <div class="readiness">
      <dl class="verdicts">
        <div>
          <dt>Would it fail over now</dt>
          <dd>
            <StateMark {...nowMark(readiness)} />
            <span class="muted">{whyNow(readiness, facts)}</span>
          </dd>
        </div>
        <div>
          <dt>If {primary ?? 'the primary'} died now</dt>
          <dd>
            <StateMark
              state={isSafe ? 'healthy' : loss.kind === 'unknown' ? 'unknown' : 'degraded'}
              word={`${lossText(loss)} would be lost`}
            />
            <span class="muted">{loss.reason}</span>
          </dd>
        </div>
        <div>
          <dt>Then</dt>
          <dd>
            {candidate === undefined ? (
              <StateMark state="broken" word="no server could take over" />
            ) : (
              <span>
                <strong>{candidate}</strong> would take over
                {facts?.failoverMode === 'manual' && ', when a person starts the failover'}
                {waits !== undefined && `, but only once it has applied what it received: ${waits}`}
              </span>
            )}
          </dd>
        </div>
        {facts?.durability !== undefined && (
          <div>
            <dt>Durability</dt>
            <dd>{facts.durability}</dd>
          </div>
        )}
      </dl>
      {rules.length > 0 && <Rules rules={rules} />}
      {ranking.length > 0 && <Ranking ranking={ranking} />}
    </div>
  )
}

function nowMark({ wouldFailOver, primaryDead, rules }: Readiness): { readonly state: State; readonly word: string } {
  if (wouldFailOver) return { state: 'degraded', word: 'yes' }
  if (!primaryDead) return { state: 'healthy', word: 'no, the primary is alive' }
  return {
    state: rules.some(({ state }) => state === 'closed') ? 'broken' : 'degraded',
    word: 'no, although the primary is dead',
  }
}

function whyNow({ rules, primaryDead }: Readiness, facts: ClusterFacts | undefined): string {
  const closed = rules.filter(({ state }) => state === 'closed')
  if (closed.length > 0 && !primaryDead) return `${closed.length} rule${closed.length === 1 ? '' : 's'} would block it`
  if (closed.length > 0) return closed[0]?.sentence ?? ''
  return facts?.failoverMode === 'manual' ? 'failover-mode is manual' : 'no rule would block it'
}

const ruleStates: Readonly<Record<Rule['state'], { readonly state: State; readonly word: string }>> = {
  closed: { state: 'broken', word: 'blocks' },
  waiting: { state: 'degraded', word: 'waits' },
  clear: { state: 'healthy', word: 'clear' },
  off: { state: 'unknown', word: 'off' },
}

const order: readonly Rule['state'][] = ['closed', 'waiting', 'clear', 'off']

/** What blocks or waits stands open; the rest is one line that opens. */
function Rules({ rules }: { readonly rules: readonly Rule[] }) {
  const sorted = rules.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const [loud, quiet] = [sorted.filter(isLoud), sorted.filter((rule) => !isLoud(rule))]
  const off = quiet.filter(({ state }) => state === 'off').length
  return (
    <section aria-label="Rules of the failover">
      {loud.length > 0 && <RuleList rules={loud} />}
      {quiet.length > 0 && (
        <details class="rules-quiet" data-key="e">
          <summary>
            {quiet.length - off} of {rules.length} rules are clear{off > 0 && `, ${off} off`}
          </summary>
          <RuleList rules={quiet} />
        </details>
      )}
    </section>
  )
}

const isLoud = ({ state }: Rule): boolean => state === 'closed' || state === 'waiting'

const RuleList = ({ rules }: { readonly rules: readonly Rule[] }) => (
  <ul class="rules">
    {rules.map(({ rule, state, code, value, limit, ageMs, sentence }) => (
      <li key={rule}>
        <StateMark {...ruleStates[state]} />
        <div>
          <strong>{rule}</strong>
          <span class="muted number">
            {value !== undefined && <> {value}</>}
            {limit !== undefined && <>, limit {limit}</>}
            {ageMs !== undefined && <>, {renderDuration(ageMs)} old</>}
          </span>
          <p>
            {sentence}{' '}
            {isLoud({ state } as Rule) && code !== '' && (
              <a href={`/api/runbooks/${code}`} target="_blank" rel="noreferrer">
                {code}
              </a>
            )}
          </p>
        </div>
      </li>
    ))}
  </ul>
)

const Ranking = ({ ranking }: { readonly ranking: readonly Ranked[] }) => (
  <section aria-label="Who would take over">
    <h3>Who would take over</h3>
    <ol class="ranking">
      {ranking.slice(0, 8).map(({ server, name, rank, eligible, reason, unapplied, missing }) => (
        <li key={server} class={eligible ? undefined : 'not-eligible'}>
          <span class="number">{rank ?? '–'}</span>
          <strong>{name}</strong>
          <span>
            {reason}
            {missing !== undefined && missing > 0 && `, ${renderCount(missing)} transactions missing`}
            {unapplied !== undefined && unapplied > 0 && `, ${renderCount(unapplied)} not applied yet`}
          </span>
        </li>
      ))}
    </ol>
    {ranking.length > 8 && <p class="muted">{ranking.length - 8} more rank below.</p>}
  </section>
)
