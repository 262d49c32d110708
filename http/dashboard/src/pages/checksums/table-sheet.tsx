// One table that was compared: what was found on each server, the parts and the rows that differ; compared again, repaired.

import type { State } from '../../model/state.js'
import {
  type ChecksumState,
  type ComparedDetails,
  type DifferingPart,
  nameOfTable,
  readChecksum,
  type ServerVerdict,
} from '../../model/upkeep/checksums.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Facts } from '../../parts/list/facts.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { useReading } from '../../store/reading.js'
import { renderCount } from '../../text/numbers.js'
import { compareTable, repairTable } from './checksum-actions.js'

export const stateWords: Readonly<Record<ChecksumState, readonly [State, string]>> = {
  different: ['broken', 'different'],
  'not-compared': ['degraded', 'not compared'],
  running: ['unknown', 'is compared'],
  waiting: ['unknown', 'waits'],
  equal: ['healthy', 'equal'],
}

export interface TableSheetProps {
  readonly cluster: string
  readonly name: { readonly schema: string; readonly table: string }
  /** A checksum of the cluster has not ended. */
  readonly isBusy: boolean
  readonly onClose: () => void
}

export function TableSheet({ cluster, name, isBusy, onClose }: TableSheetProps) {
  const reading = useReading('GET /api/clusters/:cluster/schema/:schema/:table/checksum', {
    params: { cluster, ...name },
    ...(isBusy ? { every: 'live' as const } : {}),
  })
  const found = readChecksum(reading.value)
  return (
    <Dialog
      title={nameOfTable(name)}
      open
      onClose={onClose}
      as="sheet"
      actions={
        <ActionButton
          action={compareTable(cluster, name)}
          refused={isBusy ? 'A checksum of this cluster runs already.' : undefined}
        />
      }
    >
      {reading.value === undefined && <NotRead reading={reading} />}
      {found && <Found cluster={cluster} found={found} />}
      {reading.value !== undefined && !found && <p class="empty">It was not compared yet.</p>}
    </Dialog>
  )
}

function Found({ cluster, found }: { readonly cluster: string; readonly found: ComparedDetails }) {
  const { state, rows, chunks, startedAt, endedAt, reason, servers, parts } = found
  const [mark, word] = stateWords[state]
  return (
    <>
      <Facts
        facts={[
          ['State', <StateMark key="state" state={mark} word={word} />],
          ['Rows', rows !== undefined && renderCount(rows)],
          ['Parts', chunks !== undefined && renderCount(chunks)],
          ['Begun', startedAt !== undefined && <Moment at={startedAt} as="time" />],
          ['Ended', endedAt !== undefined && <Moment at={endedAt} as="time" />],
          ['Why', reason],
        ]}
      />
      {servers.map((server) => (
        <section key={server.server} class="compared-server" aria-label={server.name}>
          <header class="row">
            <h3>{server.name}</h3>
            <span>{verdictText(server)}</span>
            {server.verdict === 'different' && server.chunks > 0 && (
              <ActionButton action={repairTable(cluster, found, server)}>Repair</ActionButton>
            )}
          </header>
          {parts
            .filter((part) => part.server === server.server)
            .map((part, index) => (
              <Part key={part.chunk ?? index} part={part} />
            ))}
        </section>
      ))}
    </>
  )
}

/** "1 part differs", "equal; 3 rows change too fast to be compared". */
export function verdictText({ verdict, chunks, open, reason }: ServerVerdict): string {
  const said = {
    equal: 'equal',
    different: chunks === 0 ? 'different' : `${renderCount(chunks)} ${chunks === 1 ? 'part differs' : 'parts differ'}`,
    'not-compared': 'not compared',
  }[verdict]
  return [
    reason === undefined ? said : `${said}: ${reason}`,
    ...(open === 0 ? [] : [`${renderCount(open)} rows change too fast to be compared`]),
  ].join('; ')
}

const kinds = { changed: 'changed', missing: 'missing on the replica', extra: 'only on the replica' } as const

/** Kinds whose rows are shown at first. */
const SHOWN = 20

function Part({ part }: { readonly part: DifferingPart }) {
  const { chunk, predicate, rowsOnPrimary, rowsOnReplica, rowCount, rows } = part
  const counts = [
    rowCount === undefined
      ? 'too many rows differ to be listed'
      : `${renderCount(rowCount)} ${rowCount === 1 ? 'row differs' : 'rows differ'}`,
    ...(rowsOnPrimary === undefined ? [] : [`${renderCount(rowsOnPrimary)} rows on the primary`]),
    ...(rowsOnReplica === undefined ? [] : [`${renderCount(rowsOnReplica)} on the replica`]),
  ]
  const lines = rows.map(({ kind, key }) => `${kinds[kind]}: ${key}`)
  const label = `Rows that differ in part ${chunk ?? ''}`
  return (
    <article class="differing-part">
      <p>
        {chunk !== undefined && `Part ${chunk}: `}
        {counts.join(', ')}
      </p>
      {predicate !== '' && <CodeBlock text={predicate} label={`Predicate of part ${chunk ?? ''}`} />}
      {lines.length > 0 && (
        <details open={lines.length <= SHOWN}>
          <summary>
            {rowCount !== undefined && rowCount > lines.length ? `The first ${lines.length} rows` : 'Rows'}
          </summary>
          <CodeBlock text={lines.join('\n')} label={label} />
        </details>
      )}
    </article>
  )
}
