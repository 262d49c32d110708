// A table: sorted by a click on a column's head, moved through by arrow keys, drawn in part when it is long.
import { useSignal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { type Sort, type SortValue, sortRows, turnSort } from './order.js'

export interface Column<Row> {
  readonly key: string
  readonly head: string
  readonly cell: (row: Row) => ComponentChildren
  /** Makes the column sortable. */
  readonly sort?: (row: Row) => SortValue
  /** Numbers stand at the end, under each other. */
  readonly align?: 'end'
  readonly hint?: string
  /** Takes what room is left. */
  readonly wide?: boolean
}

export interface TableProps<Row> {
  /** Says what the rows are, to screen readers too. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly sort?: Sort
  /** Where the sort is kept, when not here: in the address. */
  readonly onSort?: (sort: Sort) => void
  readonly onOpen?: (row: Row) => void
  readonly isSelected?: (row: Row) => boolean
  readonly empty?: ComponentChildren
  /** So many rows at first, the rest on request. */
  readonly limit?: number
}

const LIMIT = 200

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, onOpen, isSelected, empty = 'None.', limit = LIMIT } = props
  const own = useSignal(props.sort)
  const shown = useSignal(limit)
  const sort = props.onSort ? props.sort : own.value
  const by = columns.find(({ key }) => key === sort?.key)?.sort
  const sorted = sort && by ? sortRows(rows, by, sort.down) : rows
  const turn = (key: string) => {
    const next = turnSort(sort, key)
    if (props.onSort) props.onSort(next)
    else own.value = next
  }
  if (rows.length === 0) return <p class="empty">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the keyboard
    <section class="table-frame" aria-label={caption} tabIndex={0}>
      <table class="table">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.key} column={column} sort={sort} onTurn={turn} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveRows}>
          {sorted.slice(0, shown.value).map((row) => (
            <tr
              key={keyOf(row)}
              tabIndex={onOpen ? 0 : undefined}
              aria-selected={isSelected?.(row)}
              class={onOpen ? 'opens' : undefined}
              onClick={onOpen ? (event) => !isControl(event.target) && onOpen(row) : undefined}
              onKeyDown={
                onOpen ? (event) => event.key === 'Enter' && !isControl(event.target) && onOpen(row) : undefined
              }
            >
              {columns.map(({ key, cell, align, wide }) => (
                <td key={key} class={`${align ? 'end number' : ''} ${wide ? 'wide' : ''}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown.value && (
        <button
          type="button"
          class="button table-more"
          onClick={() => {
            shown.value += limit * 5
          }}
        >
          {sorted.length - shown.value} more rows
        </button>
      )}
    </section>
  )
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onTurn: (key: string) => void
}

function Head<Row>({ column: { key, head, align, hint, ...column }, sort, onTurn }: HeadProps<Row>) {
  const isBy = sort?.key === key
  const direction = sort?.down ? 'descending' : 'ascending'
  return (
    <th scope="col" class={align ? 'end' : undefined} aria-sort={isBy ? direction : undefined} title={hint}>
      {column.sort ? (
        <button type="button" class="sorts" onClick={() => onTurn(key)}>
          {head}
          <span aria-hidden="true">{isBy ? (sort.down ? ' ↓' : ' ↑') : ''}</span>
        </button>
      ) : (
        head
      )}
    </th>
  )
}

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button, input, select, summary') !== null

/** Up and down move between rows that open something. */
function moveRows(event: TargetedKeyboardEvent<HTMLTableSectionElement>): void {
  const row = event.target instanceof Element ? event.target.closest('tr') : null
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key]
  if (!(next instanceof HTMLElement) || next.tabIndex < 0) return
  event.preventDefault()
  next.focus()
}
