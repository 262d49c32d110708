// Targets as Graphite writes them: parsed, and evaluated over series that were read. Pure.
import { compilePattern, type Pattern } from '../../base/pattern.js'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { replicaMetrics } from '../../model/wire.js'
import { hostPart } from '../carbon.js'
import { serverColumns } from './columns.js'
import type { Series, SeriesSpan } from './points.js'

/** `mysql.<host>.<metric>`, with the patterns of Graphite in each part. */
export interface MetricPath {
  readonly type: 'path'
  readonly text: string
  readonly host: Pattern
  /** The pattern of the host as text. */
  readonly hostText: string
  /** Names of the manager's series that fit, with the names that carbon knows them by. */
  readonly names: ReadonlyMap<string, string>
}

interface Call {
  readonly type: 'call'
  readonly text: string
  readonly name: FunctionName
  readonly of: readonly TargetExpression[]
  /** What follows the series: texts and numbers. */
  readonly values: readonly (string | number)[]
}

export type TargetExpression = MetricPath | Call

/** One line of a chart. */
export interface RenderedTarget {
  readonly target: string
  readonly values: readonly (number | null)[]
}

interface Item extends RenderedTarget {
  /** Between its values, milliseconds. */
  readonly step: number
  /** The metric behind it, for `aliasByNode`. */
  readonly path: string
  /** It is the growth of a counter a second. */
  readonly isRate: boolean
}

/** Series of a server that carbon gets, by the name that it gets. */
const carbonNames: ReadonlyMap<string, string> = new Map([
  ...serverColumns.filter(({ name }) => name.startsWith('mysql_')).map(({ name }) => [name, name] as const),
  [replicaMetrics.lagSeconds, 'manager_replica_lag_seconds'],
])

const rates: ReadonlySet<string> = new Set(serverColumns.filter(({ isRate }) => isRate).map(({ name }) => name))

const LONGEST = 2_000
const DEEPEST = 8

type FunctionName = keyof typeof functions

/** `wrong`: why it cannot be done. */
type Evaluate = (items: readonly Item[], call: Call) => Result<readonly Item[]>

const functions = {
  alias: (items, { values: [name = ''] }) => ok(items.map((item) => ({ ...item, target: String(name) }))),
  aliasByNode: (items, { values }) =>
    ok(
      items.map((item) => {
        const nodes = item.path.split('.')
        return { ...item, target: values.map((place) => nodes.at(Number(place)) ?? '').join('.') }
      }),
    ),
  perSecond: (items) => ok(items.map((item) => (item.isRate ? named(item, 'perSecond') : growing(item)))),
  scale: (items, { values: [factor = 1] }) =>
    ok(
      items.map((item) => ({
        ...item,
        target: `scale(${item.target},${factor})`,
        values: item.values.map((value) => (value === null ? null : value * Number(factor))),
      })),
    ),
  ...{ sumSeries: joining(sum), sum: joining(sum) },
  ...{ averageSeries: joining(average), avg: joining(average) },
  ...{ maxSeries: joining((values) => Math.max(...values)), minSeries: joining((values) => Math.min(...values)) },
} as const satisfies Readonly<Record<string, Evaluate>>

/** Through these a growth a second stays one. */
const linear: ReadonlySet<FunctionName> = new Set([
  'alias',
  'aliasByNode',
  'scale',
  'sumSeries',
  'sum',
  'averageSeries',
  'avg',
])

/** Failure: `bad-request` says what is not understood. */
export function parseTarget(text: string): Result<TargetExpression> {
  if (text.length > LONGEST) return fail('bad-request', `a target has at most ${LONGEST} characters`)
  const parser = new TargetParser(text)
  const parsed = parser.expression(0)
  if (!parsed.ok) return parsed
  return parser.isAtEnd() ? parsed : fail('bad-request', `target: ${parser.rest()} is not understood`)
}

class TargetParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    this.#skip()
    return this.#at === this.#text.length
  }

  rest(): string {
    return JSON.stringify(this.#text.slice(this.#at, this.#at + 40))
  }

  expression(depth: number): Result<TargetExpression> {
    if (depth > DEEPEST) return fail('bad-request', `target: more than ${DEEPEST} functions in one another`)
    this.#skip()
    const begin = this.#at
    const word = this.#match(/(?:\{[^{}()]*\}|[^(),{}\s'"])+/y)
    if (word === undefined) return fail('bad-request', `target: ${this.rest()} is not understood`)
    if (!this.#take('(')) return pathOf(word)
    if (!(word in functions))
      return fail(
        'bad-request',
        `target: ${word} is not a function here; these are: ${Object.keys(functions).join(', ')}`,
      )
    const of: TargetExpression[] = []
    const values: (string | number)[] = []
    while (!this.#take(')')) {
      if (of.length + values.length > 0 && !this.#take(','))
        return fail('bad-request', `target: ${this.rest()} is not understood`)
      const value = this.#value()
      if (value !== undefined) {
        values.push(value)
        continue
      }
      const inner = this.expression(depth + 1)
      if (!inner.ok) return inner
      of.push(inner.value)
    }
    const text = this.#text.slice(begin, this.#at)
    if (of.length === 0) return fail('bad-request', `target: ${text} names no series`)
    return ok({ type: 'call', text, name: word as FunctionName, of, values })
  }

  /** A text in quotes, or a number. */
  #value(): string | number | undefined {
    this.#skip()
    const quoted = this.#match(/'[^']*'|"[^"]*"/y)
    if (quoted !== undefined) return quoted.slice(1, -1)
    const number = this.#match(/-?\d+(?:\.\d+)?(?=\s*[,)])/y)
    return number === undefined ? undefined : Number(number)
  }

  #take(sign: string): boolean {
    this.#skip()
    if (this.#text[this.#at] !== sign) return false
    this.#at += 1
    return true
  }

  #skip(): void {
    this.#match(/\s+/y)
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

function pathOf(text: string): Result<MetricPath> {
  const nodes = text.match(/(?:\{[^{}]*\}|[^.{}])+/g) ?? []
  const [root, host, name] = nodes.map((node) => compilePattern(globPattern(node)))
  if (!root?.ok || !host?.ok || !name?.ok || nodes.length !== 3)
    return fail(
      'bad-request',
      `target: ${JSON.stringify(text.slice(0, 80))} is no metric; they are called mysql.<host>.<metric>`,
    )
  const fitting = [...carbonNames].filter(([carbon]) => root.value.test('mysql') && name.value.test(carbon))
  const hostText = globPattern(nodes[1] ?? '')
  return ok({
    type: 'path',
    text,
    host: host.value,
    hostText,
    names: new Map(fitting.map(([carbon, own]) => [own, carbon])),
  })
}

/** `*`, `?`, `{a,b}` and `[a-c]` of Graphite as a pattern of the whole text. */
export function globPattern(glob: string): string {
  const parts = glob.match(/\{[^{}]*\}|\[[\w-]+\]|[\s\S]/g) ?? []
  const patterns = parts.map((part) => {
    if (part === '*') return '[^.]*'
    if (part === '?') return '[^.]'
    if (part.startsWith('{') && part.endsWith('}')) return `(?:${part.slice(1, -1).split(',').map(globPart).join('|')})`
    return part.length > 1 ? part : escaped(part)
  })
  return `^${patterns.join('')}$`
}

const globPart = (part: string): string => [...part].map((one) => (one === '*' ? '[^.]*' : escaped(one))).join('')

const escaped = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}-]/g, '\\$&')

/** The metrics that a target needs. */
export const pathsIn = (expression: TargetExpression): readonly MetricPath[] =>
  expression.type === 'path' ? [expression] : expression.of.flatMap(pathsIn)

/** The lines of a target. Failure: `bad-request`, where a counter is asked for as it is: only its growth is kept. */
export const evaluateTarget = (
  expression: TargetExpression,
  series: readonly Series[],
  span: SeriesSpan,
): Result<readonly RenderedTarget[]> => {
  const items = evaluate(expression, series, { isRated: false, span })
  return items.ok ? ok(items.value.map(({ target, values }) => ({ target, values }))) : items
}

interface Around {
  /** A function around it asks for the growth a second. */
  readonly isRated: boolean
  readonly span: SeriesSpan
}

function evaluate(expression: TargetExpression, series: readonly Series[], around: Around): Result<readonly Item[]> {
  if (expression.type === 'path') return read(expression, series, around)
  const { name, of } = expression
  const isRated = name === 'perSecond' || (around.isRated && linear.has(name))
  const items: Item[] = []
  for (const one of of) {
    const inner = evaluate(one, series, { ...around, isRated })
    if (!inner.ok) return inner
    items.push(...inner.value)
  }
  return functions[name](items, expression)
}

function read(
  { names, host }: MetricPath,
  series: readonly Series[],
  { isRated, span }: Around,
): Result<readonly Item[]> {
  const items: Item[] = []
  for (const { name, instance, values } of series) {
    const carbon = names.get(name)
    if (carbon === undefined || instance === null || !host.test(hostPart(instance))) continue
    const path = `mysql.${hostPart(instance)}.${carbon}`
    const isRate = rates.has(name)
    if (isRate && !isRated)
      return fail('bad-request', `target: of the counter ${path} the growth is kept: perSecond(${path})`)
    items.push({ target: path, path, isRate, values, step: span.step })
  }
  return ok(items.sort((left, right) => (left.path < right.path ? -1 : 1)))
}

const named = (item: Item, name: string): Item => ({ ...item, target: `${name}(${item.target})` })

/** Of a gauge: how much more it is than at the step before, a second. */
function growing(item: Item): Item {
  const values = item.values.map((value, index) => {
    const before = item.values[index - 1] ?? null
    return value === null || before === null || value < before ? null : (value - before) / (item.step / SECOND)
  })
  return { ...named(item, 'perSecond'), values, isRate: true }
}

type Join = (values: readonly number[]) => number

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function average(values: readonly number[]): number {
  return sum(values) / values.length
}

/** One line of several: of the values that are known at each step. */
function joining(join: Join): Evaluate {
  return (items, { name, of }) => {
    const [first] = items
    if (!first) return ok([])
    if (items.some(({ isRate }) => isRate !== first.isRate))
      return fail('bad-request', `target: ${name} of counters and of other metrics`)
    const values = first.values.map((_, index) => {
      const known = items.map((item) => item.values[index] ?? null).filter((value) => value !== null)
      return known.length === 0 ? null : join(known)
    })
    return ok([{ ...first, target: `${name}(${of.map(({ text }) => text).join(',')})`, values }])
  }
}

const units: Readonly<Record<string, number>> = {
  ...{ s: 1, sec: 1, second: 1, seconds: 1, min: 60, minute: 60, minutes: 60, h: 3_600, hour: 3_600, hours: 3_600 },
  ...{ d: 86_400, day: 86_400, days: 86_400, w: 604_800, week: 604_800, weeks: 604_800, mon: 2_592_000, y: 31_536_000 },
}

/** `now`, `-1h`, `now-30min` or seconds since the epoch, as milliseconds. Failure: `bad-request`. */
export function parseMoment(text: string, now: number): Result<number> {
  if (/^\d{1,12}$/.test(text)) return ok(Number(text) * SECOND)
  const [, amount = '0', unit = 's'] = /^(?:now)?(?:-(\d{1,9})([a-z]+))?$/.exec(text) ?? [undefined, 'none']
  const seconds = Number(amount) * (units[unit] ?? Number.NaN)
  return text === '' || Number.isNaN(seconds)
    ? fail(
        'bad-request',
        `${JSON.stringify(text.slice(0, 40))} is no moment: now, -30min, -2h, -1d, or seconds since the epoch`,
      )
    : ok(now - seconds * SECOND)
}
