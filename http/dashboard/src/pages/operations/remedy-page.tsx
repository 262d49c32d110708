// The remedy of one finding on many clusters: chosen, planned one by one, applied one after another, each result shown.
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { groupFindings } from '../../model/upkeep/finding-groups.js'
import { Button } from '../../parts/basic/button.js'
import { Empty } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { NotRead } from '../../parts/reading/as-of.js'
import { clusterOf } from '../../plan/action.js'
import { permissionFor } from '../../plan/action-button.js'
import {
  type BatchWatch,
  canRun,
  type Line,
  type LineState,
  manager,
  type PlannedLine,
  planLines,
  runLines,
} from '../../plan/batch.js'
import { openPlan } from '../../plan/open-plan.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { remediesOf } from '../cluster/actions/remedies.js'
import { LineResult } from './line-result.js'
import '../../plan/progress.css'
import './operations.css'
import './remedy.css'

const FINDINGS_MS = 10_000

type Phase = 'choosing' | 'planning' | 'planned' | 'running' | 'over'

export function page({ params: { code = '' } }: PageProps) {
  const reading = useReading('GET /api/global/alerts', { every: FINDINGS_MS })
  const group = useMemo(() => groupFindings(reading.value).find((each) => each.code === code), [reading.value, code])
  return (
    <div class="page">
      <header class="row">
        <h1>Remedy of {code}</h1>
        <a href={`/findings?code=${encodeURIComponent(code)}`}>The finding</a>
      </header>
      {group && <p>{group.sentence}</p>}
      {reading.value === undefined ? (
        <NotRead reading={reading} />
      ) : me.value?.readOnly !== false ? (
        <Empty>You may only read: nothing can be applied.</Empty>
      ) : (
        <Remedy key={code} code={code} places={group?.findings ?? []} />
      )}
    </div>
  )
}

interface RemedyProps {
  readonly code: string
  readonly places: Parameters<typeof remediesOf>[1]
}

function Remedy({ code, places }: RemedyProps) {
  // What is chosen and planned stays as it is while findings come and go.
  const held = useSignal<readonly Line[] | undefined>(undefined)
  const lines = held.value ?? remediesOf(code, places).map((action) => ({ key: keyOf(action), action }))
  const left = useSignal<ReadonlySet<string>>(new Set())
  const states = useSignal<Readonly<Record<string, LineState>>>({})
  const phase = useSignal<Phase>('choosing')
  const goOn = useSignal(false)
  const stop = useMemo(() => ({ isStopped: false }), [])
  const stopped = useSignal(false)
  useEffect(
    () => () => {
      stop.isStopped = true
    },
    [stop],
  )
  const watch: BatchWatch = {
    isStopped: () => stop.isStopped,
    onState: (key, state) => {
      states.value = { ...states.peek(), [key]: state }
    },
  }
  const chosen = lines.filter(({ key, action }) => !left.value.has(key) && permissionFor(action).allowed)
  const ready = chosen.flatMap((line): PlannedLine[] => {
    const state = states.value[line.key]
    return state && canRun(state) ? [{ ...line, plan: state.plan }] : []
  })
  const begin = () => {
    stop.isStopped = false
    stopped.value = false
  }
  const plan = async () => {
    begin()
    held.value = lines
    states.value = {}
    phase.value = 'planning'
    await planLines(chosen, manager, watch)
    phase.value = 'planned'
  }
  const run = async () => {
    begin()
    phase.value = 'running'
    await runLines(ready, { world: manager, watch, goOn: goOn.value })
    phase.value = 'over'
  }
  if (lines.length === 0)
    return (
      <Empty>
        {places.length === 0
          ? 'The finding is not open on any cluster.'
          : 'The manager has no action that answers this finding: its hint and its runbook say what a person can do.'}
      </Empty>
    )
  const isFree = phase.value === 'choosing' || phase.value === 'planned'
  return (
    <Panel
      title={`${chosen.length} of ${lines.length} chosen`}
      aside={
        isFree && (
          <span class="row">
            <Button
              onClick={() => {
                left.value = new Set()
              }}
            >
              All
            </Button>
            <Button
              onClick={() => {
                left.value = new Set(lines.map(({ key }) => key))
              }}
            >
              None
            </Button>
          </span>
        )
      }
    >
      <Table
        caption="Actions, one for each cluster or server"
        rows={lines}
        keyOf={({ key }) => key}
        columns={[
          {
            key: 'chosen',
            head: 'Chosen',
            cell: ({ key, action }) => (
              <input
                type="checkbox"
                aria-label={`${action.title} on ${clusterOf(action)}`}
                title={permissionFor(action).reason}
                checked={chosen.some((line) => line.key === key)}
                disabled={!isFree || !permissionFor(action).allowed}
                onChange={(event) => {
                  const next = new Set(left.value)
                  if (event.currentTarget.checked) next.delete(key)
                  else next.add(key)
                  left.value = next
                }}
              />
            ),
          },
          {
            key: 'cluster',
            head: 'Cluster',
            sort: ({ action }) => clusterOf(action),
            cell: ({ action }) => <a href={`/c/${encodeURIComponent(clusterOf(action))}`}>{clusterOf(action)}</a>,
          },
          { key: 'action', head: 'Action', cell: ({ action }) => action.title },
          {
            key: 'result',
            head: 'Plan and result',
            wide: true,
            cell: ({ key, action }) => (
              <LineResult
                state={states.value[key]}
                refused={permissionFor(action).reason}
                onOpen={() => openPlan(action)}
              />
            ),
          },
        ]}
      />
      <div class="remedy-foot">
        {(phase.value === 'choosing' || phase.value === 'planned' || phase.value === 'over') && (
          <Button
            kind={phase.value === 'choosing' ? 'primary' : 'plain'}
            permission={chosen.length > 0 ? { allowed: true } : { allowed: false, reason: 'None is chosen.' }}
            onClick={() => void plan()}
          >
            {phase.value === 'choosing' ? `Plan ${chosen.length}` : 'Plan again'}
          </Button>
        )}
        {phase.value === 'planned' && (
          <>
            <label class="row">
              <input
                type="checkbox"
                checked={goOn.value}
                onChange={(event) => {
                  goOn.value = event.currentTarget.checked
                }}
              />
              go on after one that fails
            </label>
            <Button
              kind="interrupting"
              permission={
                ready.length > 0 ? { allowed: true } : { allowed: false, reason: 'No plan of those chosen can be run.' }
              }
              onClick={() => void run()}
            >
              Apply {ready.length}, one after another
            </Button>
          </>
        )}
        {(phase.value === 'planning' || phase.value === 'running') && (
          <Button
            kind="destroying"
            busy={stopped.value}
            onClick={() => {
              stop.isStopped = true
              stopped.value = true
            }}
          >
            {stopped.value ? 'Stops after the one that runs' : 'Stop'}
          </Button>
        )}
        <p class="muted" role="status">
          {sayWhere(phase.value, lines, states.value)}
        </p>
      </div>
    </Panel>
  )
}

const keyOf = ({ row, params }: Line['action']): string => JSON.stringify([row, params])

function sayWhere(phase: Phase, lines: readonly Line[], states: Readonly<Record<string, LineState>>): string {
  const count = (type: LineState['type']) => lines.filter(({ key }) => states[key]?.type === type).length
  if (phase === 'choosing') return 'Nothing is done before the plans were shown.'
  if (phase === 'planning') return 'The manager plans; nothing is done.'
  if (phase === 'planned') return 'Nothing was done yet. Each plan is run as it is shown, or not at all.'
  if (phase === 'running') return `${count('ended')} done. Leaving this page stops after the one that runs.`
  const [ended, failed, unknown] = [count('ended'), count('failed'), count('unknown')]
  const untouched = count('planned')
  return [
    `${ended} done`,
    ...(failed > 0 ? [`${failed} refused or failed`] : []),
    ...(unknown > 0 ? [`${unknown} without an answer`] : []),
    ...(untouched > 0 ? [`${untouched} not begun`] : []),
  ].join(', ')
}
