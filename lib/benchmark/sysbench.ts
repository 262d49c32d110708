// The words of sysbench (1.0 and later, https://github.com/akopytov/sysbench): its options, and what it prints. Pure.

/** What is measured. */
export interface BenchmarkShape {
  /** A test that comes with sysbench, or the path of a Lua script. */
  readonly test: string
  readonly threads: number
  readonly tables: number
  /** Of each table. */
  readonly rows: number
  readonly seconds: number
}

/** With what it logs in. Given in a file: the list of processes shows arguments to everyone. */
export interface BenchmarkLogin {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly schema: string
}

export const sysbenchPhases = ['prepare', 'run'] as const

export type SysbenchPhase = (typeof sysbenchPhases)[number]

/** Most lines of intermediate figures of one run. */
const MOST_REPORTS = 100

/** Text of the option file: one option a line. */
export const renderOptions = (login: BenchmarkLogin, shape: BenchmarkShape): string =>
  Object.entries({
    ...{ 'db-driver': 'mysql', 'mysql-host': login.host, 'mysql-port': login.port },
    ...{ 'mysql-user': login.user, 'mysql-password': login.password, 'mysql-db': login.schema },
    ...{ threads: shape.threads, tables: shape.tables, 'table-size': shape.rows, time: shape.seconds, events: 0 },
    ...{ percentile: 95, 'report-interval': Math.max(1, Math.ceil(shape.seconds / MOST_REPORTS)) },
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

/** Tables of sysbench's own tests; others in their schema are someone else's. */
export const isBenchmarkTable = (name: string): boolean => /^sbtest\d+$/.test(name)

export interface BenchmarkFigures {
  readonly transactions: number
  /** Per second. */
  readonly tps: number
  /** Statements per second. */
  readonly qps: number
  /** Within which 95 % of the transactions ended, milliseconds. */
  readonly p95Ms: number
  /** Refused statements that the test passes over: deadlocks, duplicate keys. */
  readonly errors: number
  readonly reconnects: number
}

const number = (text: string, pattern: RegExp): number | undefined => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** The figures of the report at the end of a run; undefined where it is not whole. */
export function readReport(lines: readonly string[]): BenchmarkFigures | undefined {
  const text = lines.join('\n')
  const figures = {
    transactions: number(text, /^\s*transactions:\s+(\d+)/m),
    tps: number(text, /^\s*transactions:\s+\d+\s+\(([\d.]+) per sec/m),
    qps: number(text, /^\s*queries:\s+\d+\s+\(([\d.]+) per sec/m),
    p95Ms: number(text, /^\s*95th percentile:\s+([\d.]+)/m),
    errors: number(text, /^\s*ignored errors:\s+(\d+)/m),
    reconnects: number(text, /^\s*reconnects:\s+(\d+)/m),
  }
  return Object.values(figures).every((figure) => figure !== undefined) ? (figures as BenchmarkFigures) : undefined
}

/** One line. */
export const renderFigures = (
  { tps, qps, p95Ms, errors, reconnects }: BenchmarkFigures,
  { test, threads, tables, rows, seconds }: BenchmarkShape,
): string =>
  `${tps} transactions/s, ${qps} statements/s, 95 % within ${p95Ms} ms, ${errors} errors, ${reconnects} reconnects: ` +
  `${test}, ${threads} threads, ${seconds} s, ${tables} tables of ${rows} rows`
