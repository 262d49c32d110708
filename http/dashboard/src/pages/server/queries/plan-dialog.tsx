// One statement with its plan: as the optimizer intends it, or as it was when it ran.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../../client/call.js'
import type { Failure } from '../../../client/failure.js'
import { type PlanRow, readPlanRows, type Statement } from '../../../model/server/statements.js'
import { Button } from '../../../parts/basic/button.js'
import { Failed, Loading } from '../../../parts/basic/empty.js'
import { Tag } from '../../../parts/basic/tag.js'
import { CodeBlock } from '../../../parts/code/code-block.js'
import { Facts } from '../../../parts/list/facts.js'
import { type Column, Table } from '../../../parts/list/table.js'
import { Dialog } from '../../../parts/overlay/dialog.js'
import { ActionButton } from '../../../plan/action-button.js'
import { may } from '../../../store/me.js'
import { renderCount, renderDuration } from '../../../text/numbers.js'
import { killStatement } from '../actions/kill.js'
import type { Subject } from '../kit/subject.js'

export interface PlanDialogProps {
  readonly subject: Subject
  readonly source: 'pfs' | 'slow'
  readonly statement: Statement | undefined
  readonly onClose: () => void
}

type State = {
  readonly rows?: readonly PlanRow[]
  readonly failure?: Failure
  readonly ran?: boolean
  readonly busy?: boolean
}

const Q = '/api/clusters/:cluster/servers/:server/queries/:digest/actions'

/** By where the statement was seen: its plan alone, or with what a run of it measures. */
const addresses = {
  pfs: { explain: `GET ${Q}/explain-pfs`, analyze: `POST ${Q}/analyze-pfs` },
  slow: { explain: `GET ${Q}/explain-slowlog`, analyze: `POST ${Q}/analyze-slowlog` },
} as const

export function PlanDialog({ subject, source, statement, onClose }: PlanDialogProps) {
  const state = useSignal<State>({})
  const { digest, schema } = statement ?? {}
  const ask = async (run: boolean) => {
    if (digest === undefined) return
    state.value = { ...state.peek(), busy: true }
    const reply = await call(addresses[source][run ? 'analyze' : 'explain'], {
      params: { ...subject.params, digest },
      ...(schema === undefined ? {} : { query: { schema } }),
      timeoutMs: 45_000,
    })
    state.value = reply.ok ? { rows: readPlanRows(reply.value), ran: run } : { failure: reply.failure }
  }
  useEffect(() => {
    state.value = {}
    if (digest !== undefined && !subject.isDown) void ask(false)
  }, [digest, source, subject.isDown])
  const { rows, failure, ran = false, busy = false } = state.value
  const isFlavourMeasured = rows?.some(({ realRows }) => realRows !== undefined) === true
  return (
    <Dialog title="Statement" open={statement !== undefined} onClose={onClose} as="sheet">
      {statement && (
        <>
          <CodeBlock text={statement.text} label="Text of the statement" />
          <Facts
            facts={[
              ['Schema', statement.schema],
              ['Count', statement.count === undefined ? undefined : renderCount(statement.count)],
              ['Total time', statement.totalMs === undefined ? undefined : renderDuration(statement.totalMs)],
              ['Last seen', statement.lastSeen],
              ['Digest', <span class="mono">{statement.digest}</span>],
            ]}
          />
          <h3>{ran ? 'Plan as it ran' : 'Plan'}</h3>
          {busy && <Loading what="Asking the server" />}
          {failure && <Failed failure={failure} />}
          {rows && (
            <Table
              caption="Plan"
              columns={planColumns(isFlavourMeasured)}
              rows={rows}
              keyOf={(row) => String(rows.indexOf(row))}
            />
          )}
          <div class="row">
            <Button
              permission={may(['db-analyse', ...(source === 'pfs' ? ['db-optimize'] : [])], subject.cluster)}
              busy={busy}
              onClick={() => void ask(true)}
            >
              Run it and measure
            </Button>
            <span class="muted">Only statements that read run, for at most ten seconds.</span>
          </div>
          <ActionButton action={killStatement(subject, statement.digest)}>End the statement</ActionButton>
        </>
      )}
    </Dialog>
  )
}

const planColumns = (isMeasured: boolean): readonly Column<PlanRow>[] => [
  {
    key: 'table',
    head: 'Table',
    cell: ({ table, id, kind }) => <>{table ?? <span class="muted">{kind ?? id}</span>}</>,
  },
  {
    key: 'access',
    head: 'Access',
    cell: ({ access }) =>
      access === undefined ? null : <Tag tone={access === 'ALL' ? 'warning' : 'plain'}>{access}</Tag>,
  },
  {
    key: 'key',
    head: 'Key',
    cell: ({ key, possibleKeys }) =>
      key ??
      (possibleKeys === undefined ? (
        <span class="muted">none</span>
      ) : (
        <span class="muted">none of {possibleKeys}</span>
      )),
  },
  { key: 'rows', head: 'Rows', align: 'end', cell: ({ rows }) => rows ?? null },
  ...(isMeasured
    ? [
        {
          key: 'real',
          head: 'Rows met',
          align: 'end' as const,
          cell: ({ realRows }: PlanRow) => (realRows === undefined ? null : renderCount(realRows)),
        },
      ]
    : []),
  { key: 'extra', head: 'Extra', cell: ({ extra }) => extra ?? null },
]
