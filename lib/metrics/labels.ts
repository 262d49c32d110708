// Names and labels in the Prometheus text format: allowed characters, escaping, and the names of servers.

import { printable } from '../base/printable.js'

export type Labels = Readonly<Record<string, string>>

/** `{instance="db1",cluster="demo"}`; nothing for no labels. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** A label's value in the text format: backslash, quote and line feed are escaped, what is not shown is left out. */
export const escapeLabel = (value: string): string =>
  special.test(value) ? printable(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value

const special = /[^ !#-[\]-~]/

/** A host name as used in `instance`: some characters dropped, some replaced. */
export const instanceName = (host: string): string =>
  host
    .replace(/[`?]/g, '')
    .replace(/[ /]/g, '_')
    .replace(/[.(<)'"]/g, '-')

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Whether a database's text is a number that can be a sample. Most are digits only, which takes no expression. */
export const isNumeric = (text: string): boolean => isDigits(text) || numeric.test(text)

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < ZERO || unit > NINE) return false
  }
  return text !== ''
}

const ZERO = 48
const NINE = 57
