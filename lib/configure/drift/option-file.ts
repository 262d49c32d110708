// Option files as text: the options they set for a server, and adding and removing single options.
import { isPosition, type Options } from './values.js'

/** Groups that a database server reads, with and without a version suffix. */
const groups = /^(mysqld|mariadb|mariadbd|server|mysqld_safe)(-\d+(\.\d+)?)?$/

/** The options that a text sets for a server; the last of several lines counts, optimizer switches are merged. */
export function parseOptions(text: string): Options {
  const options = new Map<string, string>()
  let reads = false
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '' || /^[#;!]/.test(line)) continue
    const [, group] = /^\[([\w.-]+)\]/.exec(line) ?? []
    if (group !== undefined) {
      reads = groups.test(group)
      continue
    }
    const [, written = '', value = ''] = /^([A-Za-z][\w.-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? []
    if (reads && written !== '') addOption(options, optionName(written), unquote(value))
  }
  return options
}

/** Adds an option as a server reads it: libraries and single switches are merged, of all others the last one counts. */
export function addOption(options: Map<string, string>, name: string, value: string): void {
  if (name === 'plugin_load_add') options.set(`${name}.${value}`, 'loaded')
  else if (name === 'skip_log_bin') options.set('log_bin', 'OFF')
  else if (name !== 'optimizer_switch') options.set(name, value)
  else
    for (const [one = '', state = ''] of value.split(',').map((each) => each.split('=')))
      options.set(`${name}.${one.trim()}`, state.trim())
}

/** The canonical spelling of a name: lower case, `_`, no `loose_`. */
export const optionName = (written: string): string =>
  written
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/^loose_/, '')

function unquote(text: string): string {
  const [, , quoted] = /^(["'])(.*)\1/.exec(text) ?? []
  if (quoted !== undefined) return quoted.replaceAll('\\\\', '\\').replaceAll('\\"', '"')
  return text.replace(/\s+#.*$/, '').trim()
}

/** `name = value` as a server reads it; a switch of the optimizer as the list of one. */
export function optionLine(name: string, value: string): string {
  if (name === 'log_bin' && value === 'OFF') return 'skip_log_bin'
  const [, tail] = /^optimizer_switch\.(.+)$/.exec(name) ?? []
  if (tail !== undefined) return `optimizer_switch = ${tail}=${value}`
  return `loose_${name} = ${quote(value)}`
}

function quote(value: string): string {
  if (value === '') return "''"
  return /[#"'\\;]|^\s|\s$/.test(value) ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : value
}

/** The text with an option set, everything else as it was; the option comes last, in a group for servers. */
export function withOption(text: string, name: string, value: string): string {
  const rest = withoutOption(text, name)
  const head = lastGroup(rest) === 'mysqld' ? '' : '[mysqld]\n'
  return `${rest.trimEnd()}\n${head}${optionLine(name, value)}\n`.replace(/^\n/, '')
}

/** The text with positions of replication as comments: what a person preserved before they were known as state is not written. */
export function withoutPositions(text: string): string {
  if (positionsIn(text).length === 0) return text
  return mapOptions(text, (line, names) =>
    names.some(isPosition) ? `# left out: a position of replication is state, not configuration: ${line.trim()}` : line,
  ).join('\n')
}

/** The positions of replication that a text sets. */
export const positionsIn = (text: string): readonly string[] => [...parseOptions(text).keys()].filter(isPosition)

/** The text without the lines that set an option for servers. */
export const withoutOption = (text: string, name: string): string =>
  mapOptions(text, (line, names) => (names.includes(name) ? undefined : line)).join('\n')

/** Its lines; those that set options for servers as `change` gives them, undefined for none. */
function mapOptions(
  text: string,
  change: (line: string, names: readonly string[]) => string | undefined,
): readonly string[] {
  let group = ''
  return text.split('\n').flatMap((raw) => {
    const line = raw.trim()
    group = /^\[([\w.-]+)\]/.exec(line)?.[1] ?? group
    if (!groups.test(group) || /^[#;![]/.test(line) || line === '') return [raw]
    const changed = change(raw, [...parseOptions(`[mysqld]\n${line}`).keys()])
    return changed === undefined ? [] : [changed]
  })
}

const lastGroup = (text: string): string =>
  [...text.matchAll(/^\s*\[([\w.-]+)\]/gm)].map(([, group = '']) => group).at(-1) ?? ''
