// Names and labels in the Prometheus text format: what is allowed, what is escaped, and what servers are called.

export type Labels = Readonly<Record<string, string>>

/** `{instance="db1",cluster="demo"}`; nothing for no labels. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

/** A label's value in the text format: backslash, quote and line feed are escaped. */
export const escapeLabel = (value: string): string =>
  special.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value

const special = /["\\\n]/

/** A host name as scrapers know it in `instance`: some characters dropped, some replaced. */
export const instanceName = (host: string): string =>
  host
    .replace(/[`?]/g, '')
    .replace(/[ /]/g, '_')
    .replace(/[.(<)'"]/g, '-')

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Whether a database's text is a number that can be a sample. */
export const isNumeric = (text: string): boolean => numeric.test(text)
