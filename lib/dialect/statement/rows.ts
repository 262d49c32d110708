// Reads values out of rows: servers and versions differ in types (1, '1', 'ON', 'YES', null), readers do not.
import type { ThreadState } from '../../model/server/reading.js'
import type { Rows } from './statement.js'

export type RowValues = Readonly<Record<string, unknown>>

/** The column as text; '' for NULL and for a missing column. */
export const textIn = (row: RowValues, column: string): string => {
  const value = row[column]
  return value === null || value === undefined ? '' : String(value)
}

/** The column as a number; 0 for NULL, for text that is no number, and for a missing column. */
export const numberIn = (row: RowValues, column: string): number => {
  const value = Number(textIn(row, column))
  return Number.isNaN(value) ? 0 : value
}

const off = new Set(['', '0', 'OFF', 'NO', 'FALSE', 'DISABLED', 'NONE'])

/** Whether the column means true (1, ON, YES). */
export const flagIn = (row: RowValues, column: string): boolean => !off.has(textIn(row, column).toUpperCase())

/** `Slave_IO_Running` and similar columns: Yes, No, Connecting, Preparing. */
export function threadIn(row: RowValues, column: string): ThreadState {
  const word = textIn(row, column)
  if (word === 'Yes') return 'running'
  return word === 'No' || word === '' ? 'stopped' : 'connecting'
}

/** Variable_name and Value of every row, names in lower case. */
export function pairs(rows: Rows): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const row of rows) values[textIn(row, 'Variable_name').toLowerCase()] = textIn(row, 'Value')
  return values
}
