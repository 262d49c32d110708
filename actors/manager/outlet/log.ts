// The manager's log: readable lines on a terminal, JSON lines otherwise. One event, one line, where it is handled.
import { pino } from 'pino'
import { type LogCode, type LogSeverity, logCodes, type WriteLog } from '../../../lib/base/log-codes.js'
import { now } from '../../../lib/base/time.js'
import type { ClusterEvent, LogLevel } from '../../../lib/model/event.js'
import { runbookUrl } from '../../../lib/model/findings/runbook/link.js'
import { type FindingCode, findings } from '../../../lib/model/findings.js'
import type { Settings } from '../../../lib/settings/table/index.js'
import type { LogLine } from '../../protocol/manager/log-line.js'
import type { LogFile } from './log-file.js'
import type { Syslog, SyslogLine } from './syslog.js'

export interface ManagerLog {
  readonly write: WriteLog
  /** A cluster's event as a log line. */
  readonly event: (event: ClusterEvent) => void
  /** Changes the level from now on. */
  readonly set: (verbosity: Verbosity) => void
  /** The latest lines, newest first, of a cluster or of the manager (''). */
  readonly latest: () => readonly LogLine[]
  /** Resolves when the file holds every line. */
  readonly close: () => Promise<void>
}

const levels: Readonly<Record<LogLevel, LogSeverity>> = {
  ERROR: 'error',
  ALERT: 'error',
  WARN: 'warn',
  STATE: 'info',
  ALERTOK: 'warn',
  START: 'info',
  INFO: 'info',
  DEBUG: 'debug',
}

const words: Readonly<Record<LogSeverity, LogLevel>> = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' }

/** Lines that the API shows of the manager's log. */
const KEPT_LINES = 200

/** A finding that opens is logged at the level of its severity, whatever level the cluster's event has. */
export function levelOfEvent({ kind, level, data }: ClusterEvent): LogSeverity {
  if (kind !== 'finding-opened') return levels[level]
  return data?.severity === 'error' ? 'error' : 'warn'
}

/** What can be done about a problem, and the path of its runbook page at the manager. */
export function hintOf({ kind, data, cluster }: ClusterEvent): { readonly hint?: string; readonly runbook?: string } {
  const code = kind === 'finding-opened' ? String(data?.code) : ''
  if (!(code in findings)) return {}
  const known = code as FindingCode
  return { hint: findings[known].hint, runbook: runbookUrl('', known, { cluster }) }
}

/** What can be done, on lines of a problem. */
function hintAt(level: LogSeverity, code: LogCode): { readonly hint?: string } {
  const { hint } = logCodes[code]
  return hint !== undefined && (level === 'warn' || level === 'error') ? { hint } : {}
}

/** Takes a tenth of a second to load, which a service without a terminal saves. */
const pretty = process.stdout.isTTY ? await import('pino-pretty') : undefined

const onTerminal = {
  colorize: process.env.NO_COLOR === undefined,
  translateTime: 'SYS:HH:MM:ss.l',
  sync: true,
  hideObject: true,
  messageFormat: (line: Readonly<Record<string, unknown>>) => renderLine(line),
} as const

/** `shop: text field=value …`: what a user needs of a line, besides time and level. */
export function renderLine({ level, time, msg, kind, cluster, ...fields }: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${renderValue(value)}`)
  return [renderValue(cluster === undefined ? msg : `${cluster}: ${msg}`), ...named].join(' ')
}

/** A line of the log, for syslog. */
function parseLine(line: string): SyslogLine {
  const { level, time, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>
  return { level: Number(level), at: Date.parse(String(time)), text: renderLine(fields) }
}

/** On one line: text from a client must not form another line, nor send control characters to the terminal. */
function renderValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return unprintable.test(text) ? JSON.stringify(text).replace(unprintables, spelledOut) : text
}

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u
const unprintables = new RegExp(unprintable, 'gu')
/** What JSON leaves as it is: who shows the file sees lines as they are, and programs read the same text. */
const unshown = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu
const escaped = (one: string): string =>
  Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

const spelledOut = (one: string): string => `\\u{${one.codePointAt(0)?.toString(16)}}`

/** `log-level` and `log-file-level`: 1 errors, 2 warnings, 3 information, 4 everything. */
export interface Verbosity {
  readonly output: number
  readonly file: number
}

/** `verbose` shows everything on the output; the file keeps its configured level. */
export const verbosityOf = (settings: Pick<Settings, 'log-level' | 'log-file-level' | 'verbose'>): Verbosity => ({
  output: Math.max(settings['log-level'], leastWhen(settings.verbose)),
  file: settings['log-file-level'],
})

const leastWhen = (verbose: boolean): number => (verbose ? EVERYTHING : 0)

const EVERYTHING = 4

const levelOf = (verbosity: number): LogSeverity =>
  (['error', 'error', 'warn', 'info', 'debug'] as const)[verbosity] ?? 'info'

export function createLog(verbosity: Verbosity, file?: LogFile, syslog?: Syslog): ManagerLog {
  const options = {
    ...{ level: 'debug', base: null, timestamp: pino.stdTimeFunctions.isoTime },
    hooks: { streamWrite: (line: string) => line.replace(unshown, escaped) },
  }
  const output = {
    level: levelOf(verbosity.output),
    stream: pretty ? pretty.build(onTerminal) : pino.destination(1),
  }
  const copy = file && { level: levelOf(verbosity.file), stream: { write: (line: string) => file.write(line) } }
  const sent = syslog && {
    level: levelOf(verbosity.output),
    stream: { write: (line: string) => syslog.write(parseLine(line)) },
  }
  const streams = [output, ...(copy ? [copy] : []), ...(sent ? [sent] : [])]
  const make = () => pino(options, pino.multistream(streams))
  let logger = make()
  const latest: (() => LogLine)[] = []
  const keep = (line: () => LogLine): void => {
    if (latest.push(line) > KEPT_LINES) latest.shift()
  }
  return {
    latest: () => latest.map((line) => line()).reverse(),
    set: (next) => {
      output.level = levelOf(next.output)
      if (copy) copy.level = levelOf(next.file)
      if (sent) sent.level = levelOf(next.output)
      logger = make()
    },
    close: async () => {
      syslog?.close()
      await file?.close()
    },
    write: (level, code, fields = {}) => {
      logger[level]({ ...fields, ...hintAt(level, code) }, code)
      const at = now()
      if (level !== 'debug')
        keep(() => ({ group: '', level: words[level], at, text: renderLine({ ...fields, msg: code }) }))
    },
    event: (event) => {
      const { level, at, cluster, kind, text, data } = event
      logger[levelOfEvent(event)](
        { cluster, kind, ...(kind === 'operation' || kind === 'step' ? data : hintOf(event)) },
        text,
      )
      if (level !== 'DEBUG') keep(() => ({ group: cluster, level, at, text }))
    },
  }
}
