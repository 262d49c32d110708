// The order of a table's rows: numbers by value, names as people read them (db2 before db10), what is missing last.

export type SortValue = string | number | boolean | null | undefined

export interface Sort {
  readonly key: string
  readonly down: boolean
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Stable; equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], read: (row: Row) => SortValue, down: boolean): readonly Row[] {
  const direction = down ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [read(a), read(b)]
    const [noX, noY] = [isMissing(x), isMissing(y)]
    if (noX || noY) return Number(noX) - Number(noY)
    return direction * compareValues(x, y)
  })
}

export function compareValues(x: SortValue, y: SortValue): number {
  if (typeof x === 'string' || typeof y === 'string') return names.compare(String(x), String(y))
  return Number(x) - Number(y)
}

const isMissing = (value: SortValue): boolean => value === null || value === undefined || value === ''

/** What a click on the head of a column does: up, then down, then up again. */
export const turnSort = (sort: Sort | undefined, key: string): Sort => ({ key, down: sort?.key === key && !sort.down })

/** "lag" up, "-lag" down: how an address says it. */
export const renderSort = ({ key, down }: Sort): string => (down ? `-${key}` : key)

export function parseSort(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '' || text === '-') return undefined
  return text.startsWith('-') ? { key: text.slice(1), down: true } : { key: text, down: false }
}
