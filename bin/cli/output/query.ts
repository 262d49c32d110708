// The paths of `--query`: what of a JSON value is wanted. Pure; its words are told in share/doc/cli.md.
//
//   name  "odd name"      a field                    [0]  [-1]           an entry
//   []                    every entry, the rest of the path for each     [?path=='text'] entries that answer yes
//   {name, at: path}      an object of these         |                   the path so far as one value again
//   length()  keys()  sort()                         of a list (keys: of an object; length: also of a text)
import { EXIT, Exit } from './exit.js'

export const queryHelp: readonly (readonly [form: string, meaning: string])[] = [
  ['`name`, `"odd name"`', 'a field of an object; nothing where there is none'],
  ['`a.b`', 'a field of a field'],
  ['`[0]`, `[-1]`', 'an entry of a list, from the end with a minus'],
  ['`[]`', 'every entry: what follows holds for each of them; nothing is left out'],
  ["`[?state=='Master']`", 'the entries for which it holds: `==`, `!=`, `<`, `<=`, `>`, `>=`, `~` (holds the text)'],
  ['`[?readOnly]`', 'the entries that have it, and neither false nor empty'],
  ['`{name, lag: a.b}`', 'an object of these fields'],
  ['`a[].b | [0]`', 'the left side of the bar as one value'],
  ['`length()`, `keys()`, `sort()`', 'of a list, of an object'],
]

type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'entry'; readonly index: number }
  | { readonly type: 'every' }
  | { readonly type: 'filter'; readonly test: Test }
  | { readonly type: 'pick'; readonly fields: readonly (readonly [name: string, path: Path])[] }
  | { readonly type: 'call'; readonly name: FunctionName }
  | { readonly type: 'whole' }

type Path = readonly Step[]

interface Test {
  readonly path: Path
  readonly operator?: Operator
  readonly value?: unknown
}

const operators = ['==', '!=', '<=', '>=', '<', '>', '~'] as const

type Operator = (typeof operators)[number]

const functions = {
  length: (value: unknown) =>
    typeof value === 'string' || Array.isArray(value) ? value.length : Object.keys((value ?? {}) as object).length,
  keys: (value: unknown) => Object.keys((value ?? {}) as object),
  sort: (value: unknown) => (Array.isArray(value) ? value.toSorted(order) : value),
} as const

type FunctionName = keyof typeof functions

/** The part of the value that the path names; nothing there is null. An `Exit` says what is wrong with a path. */
export const queryValue = (value: unknown, text: string): unknown => follow(parseQuery(text), value)

function follow([step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value ?? null
  switch (step.type) {
    case 'field':
      return follow(rest, fieldOf(value, step.name))
    case 'entry':
      return follow(rest, Array.isArray(value) ? value.at(step.index) : undefined)
    case 'every':
      return spread(rest, entriesOf(value))
    case 'filter':
      return spread(
        rest,
        entriesOf(value).filter((entry) => holds(step.test, entry)),
      )
    case 'pick':
      return follow(rest, Object.fromEntries(step.fields.map(([name, path]) => [name, follow(path, value)])))
    case 'call':
      return follow(rest, functions[step.name](value))
    case 'whole':
      return follow(rest, value)
  }
}

/** What follows up to the next bar holds for each entry. */
function spread(rest: Path, entries: readonly unknown[]): unknown {
  const bar = rest.findIndex(({ type }) => type === 'whole')
  const inner = bar < 0 ? rest : rest.slice(0, bar)
  const list = entries.map((entry) => follow(inner, entry))
  const flat = inner.some(({ type }) => type === 'every' || type === 'filter') ? list.flat() : list
  return bar < 0 ? flat : follow(rest.slice(bar), flat)
}

const entriesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === 'object' && value !== null ? Object.values(value) : []

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

function holds({ path, operator, value: wanted }: Test, entry: unknown): boolean {
  const value = follow(path, entry)
  if (operator === undefined) return value !== null && value !== false && value !== '' && value !== 0
  if (operator === '~') return String(value).includes(String(wanted))
  const same = typeof wanted === 'number' ? Number(value) === wanted : value === wanted
  if (operator === '==') return same
  if (operator === '!=') return !same
  if (value === null) return false
  const rank = order(value, wanted)
  return operator === '<' ? rank < 0 : operator === '<=' ? rank <= 0 : operator === '>' ? rank > 0 : rank >= 0
}

/** Numbers by size, also those that stand in texts; everything else as text. */
function order(left: unknown, right: unknown): number {
  const [a, b] = [Number(left), Number(right)]
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  const [first, second] = [String(left), String(right)]
  return first < second ? -1 : first > second ? 1 : 0
}

/** Steps of the path; checked before anything is asked of the manager. */
export function parseQuery(text: string): Path {
  const reader = new Reader(text)
  const path = readPath(reader)
  if (!reader.ended) throw reader.wrong('something else was to come')
  return path
}

function readPath(reader: Reader): Path {
  const steps: Step[] = []
  if (!reader.sees(/[|),\]}]|==|!=|[<>~]/y)) steps.push(readStep(reader, true))
  for (;;) {
    if (reader.takes('.')) steps.push(readStep(reader, true))
    else if (reader.sees(/\[/y)) steps.push(readStep(reader, false))
    else if (reader.takes('|')) steps.push({ type: 'whole' }, readStep(reader, true))
    else return steps
  }
}

function readStep(reader: Reader, named: boolean): Step {
  if (reader.takes('[')) return readBracket(reader)
  if (!named) throw reader.wrong('a [ was to come')
  if (reader.takes('{')) return readPick(reader)
  const name = readName(reader)
  if (!reader.takes('(')) return { type: 'field', name }
  reader.must(')')
  if (!Object.hasOwn(functions, name)) throw reader.wrong(`there is no ${name}()`)
  return { type: 'call', name: name as FunctionName }
}

function readBracket(reader: Reader): Step {
  if (reader.takes(']') || reader.takes('*]')) return { type: 'every' }
  if (reader.takes('?')) {
    const path = readPath(reader)
    const operator = operators.find((each) => reader.takes(each))
    const test = operator === undefined ? { path } : { path, operator, value: readLiteral(reader) }
    reader.must(']')
    return { type: 'filter', test }
  }
  const index = reader.match(/-?\d+/y)
  if (index === undefined) throw reader.wrong('a number, ? or ] was to come')
  reader.must(']')
  return { type: 'entry', index: Number(index) }
}

function readPick(reader: Reader): Step {
  const fields: (readonly [string, Path])[] = []
  do {
    const name = readName(reader)
    fields.push([name, reader.takes(':') ? readPath(reader) : [{ type: 'field', name }]])
  } while (reader.takes(','))
  reader.must('}')
  return { type: 'pick', fields }
}

function readName(reader: Reader): string {
  const quoted = reader.match(/"[^"]*"/y)
  const name = quoted?.slice(1, -1) ?? reader.match(/[\p{L}_@$][\p{L}\p{N}_-]*/uy)
  if (name === undefined) throw reader.wrong('a name was to come')
  return name
}

function readLiteral(reader: Reader): unknown {
  const text = reader.match(/'[^']*'|"[^"]*"/y)
  if (text !== undefined) return text.slice(1, -1)
  const word = reader.match(/-?\d+(\.\d+)?|true|false|null/y)
  if (word === undefined) throw reader.wrong("a text in '', a number, true, false or null was to come")
  return JSON.parse(word)
}

/** Where in the text the reading is; blanks between words are passed over. */
class Reader {
  readonly #text: string
  #at = 0
  constructor(text: string) {
    this.#text = text
  }

  get ended(): boolean {
    return !this.sees(/\S/y)
  }

  sees(pattern: RegExp): boolean {
    return this.#find(pattern) !== undefined
  }

  match(pattern: RegExp): string | undefined {
    const found = this.#find(pattern)
    if (found !== undefined) this.#at += found.length
    return found
  }

  takes(word: string): boolean {
    this.#pass()
    if (!this.#text.startsWith(word, this.#at)) return false
    this.#at += word.length
    return true
  }

  must(word: string): void {
    if (!this.takes(word)) throw this.wrong(`${word} was to come`)
  }

  wrong(what: string): Exit {
    const place = this.#at >= this.#text.length ? 'at its end' : `at "${this.#text.slice(this.#at)}"`
    return new Exit(EXIT.usage, `--query ${this.#text}: ${what} ${place}`)
  }

  #find(pattern: RegExp): string | undefined {
    this.#pass()
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0]
  }

  #pass(): void {
    while (this.#text.charAt(this.#at) === ' ') this.#at += 1
  }
}
