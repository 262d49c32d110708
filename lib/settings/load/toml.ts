// Reads a TOML file into sections with the line of every key, and goes on after a syntax error to find the others.
import { parse, TomlError } from 'smol-toml'
import { type Fault, faultAt, foreign, type RawEntry, showValue } from '../configuration/fault.js'

export interface TomlSection {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly entries: readonly RawEntry[]
}

export interface TomlDocument {
  readonly sections: readonly TomlSection[]
  readonly faults: readonly Fault[]
  readonly warnings: readonly Fault[]
}

const OUTSIDE = 'outside of a section; put it below [Default] or [<cluster>]'

type Table = Readonly<Record<string, unknown>>

const header = /^\s*\[{1,2}\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\]"']*?)\s*\]/
const statement = /^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*=/

/** Never throws: what cannot be read is in `faults`, the rest in `sections`. */
export function readToml(text: string, file: string, kind: 'file' | 'saved' = 'file'): TomlDocument {
  const lines = text.split('\n')
  const { table, faults } = parseForgiving(lines, file, kind)
  const lineOf = locate(lines)
  const sections: TomlSection[] = []
  const warnings: Fault[] = []
  for (const [section, content] of Object.entries(table)) {
    const line = lineOf(section) ?? 1
    const entry = { name: section, value: content, origin: { kind, file, line } }
    if (isTable(content)) sections.push({ name: section, file, line, entries: [] })
    else if (isTableList(content)) faults.push(faultAt(entry, `is an array of tables; write [${section}]`))
    else if (kind === 'saved') faults.push(faultAt(entry, OUTSIDE))
    else warnings.push(foreign(entry, OUTSIDE))
    for (const [name, value] of isTable(content) ? Object.entries(content) : []) {
      const place = lineOf(section, name) ?? lineOf(`${section}.${name}`) ?? line
      const inner = { name, value, section, origin: { kind, file, line: place } }
      if (!isTable(value)) sections.push({ name: section, file, line, entries: [inner] })
      else faults.push(faultAt(inner, `put a name with dots in quotes: ["${section}.${name}"]`))
    }
  }
  return { sections: joinSections(sections), faults, warnings }
}

/** Parses, and on an error leaves out the faulty statement and parses again, until no error is left. */
function parseForgiving(
  given: readonly string[],
  file: string,
  kind: 'file' | 'saved',
): { table: Table; faults: Fault[] } {
  const lines = [...given]
  const faults: Fault[] = []
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      return { table: parse(lines.join('\n')), faults }
    } catch (error) {
      if (!(error instanceof TomlError)) throw error
      const at = causeOf(lines, error)
      faults.push(syntaxFault(given[at] ?? '', error, { kind, file, line: at + 1 }))
      // Nothing is left that could be left out.
      if (lines[at]?.trim() === '') break
      leaveOut(lines, at)
    }
  }
  return { table: {}, faults }
}

/**
 * The line (from 0) that is wrong: a value that is not finished shows only where the next statement begins, or at the end of
 * the file.
 */
function causeOf(lines: readonly string[], error: TomlError): number {
  const at = error.line - 1
  const line = lines[at] ?? ''
  if (line.trim() === '') {
    const begins = lines.slice(0, at).findLastIndex((above) => statement.test(above))
    return begins < 0 ? at : begins
  }
  const startsHere = statement.test(line) && line.slice(0, error.column - 1).trim() === ''
  if (!/invalid value/.test(error.message) || !(isHeader(line) || startsHere)) return at
  for (let above = at - 1; above >= 0; above--) if (statement.test(lines[above] ?? '')) return above
  return at
}

/** A broken header takes its section along, since its keys would land in the section above. */
function leaveOut(lines: string[], at: number): void {
  const whole = isHeader(lines[at] ?? '')
  lines[at] = ''
  for (let next = at + 1; whole && next < lines.length && !header.test(lines[next] ?? ''); next++) lines[next] = ''
}

function syntaxFault(line: string, error: TomlError, origin: Fault['origin']): Fault {
  const [sentence = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
  const problem = `not readable as TOML: ${sentence}`
  if (isHeader(line)) return { origin, problem: `${problem}; its section is not read` }
  const [, key] = statement.exec(line) ?? []
  if (key === undefined) return { origin, problem }
  const name = unquote(key)
  const text = line.slice(line.indexOf('=') + 1).trim()
  const bare = /^[A-Za-z]/.test(text) ? '; put text in quotes' : ''
  return { origin, name, value: showValue(name, text), problem: problem + bare }
}

/** Where sections and keys begin. Text in triple quotes is passed over. */
function locate(lines: readonly string[]): (section: string, key?: string) => number | undefined {
  const places = new Map<string, number>()
  let section = ''
  let quoted = false
  lines.forEach((line, index) => {
    const [, title] = quoted ? [] : (header.exec(line) ?? [])
    const [, key] = quoted ? [] : (statement.exec(line) ?? [])
    if (title !== undefined) section = unquote(title)
    if (title !== undefined && !places.has(section)) places.set(section, index + 1)
    if (key !== undefined) places.set(`${section}\n${unquote(key)}`, index + 1)
    if (key !== undefined && section === '') places.set(unquote(key), index + 1)
    if ((line.match(/"""|'''/g)?.length ?? 0) % 2 === 1) quoted = !quoted
  })
  return (title, key) => places.get(key === undefined ? title : `${title}\n${key}`)
}

function joinSections(parts: readonly TomlSection[]): readonly TomlSection[] {
  const joined = new Map<string, TomlSection>()
  for (const part of parts) {
    const before = joined.get(part.name)
    joined.set(part.name, before ? { ...before, entries: [...before.entries, ...part.entries] } : part)
  }
  return [...joined.values()]
}

const isHeader = (line: string): boolean => /^\s*\[/.test(line)

const unquote = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2')

const isTableList = (value: unknown): boolean => Array.isArray(value) && value.some(isTable)

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
