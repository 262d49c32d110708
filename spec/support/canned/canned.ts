// What a canned server answers: recorded rows of a real one with its own address and number put in.
import { identify, type Rows, type SlowPart } from '../../../lib/dialect/index.js'
import { mariadbDialect } from '../../../lib/dialect/mariadb/dialect.js'
import { answer } from './packets.js'
import { type Recording, readRecording } from './recordings.js'

export interface CannedServer {
  readonly number: number
  /** The port of its source; a primary has none. */
  readonly sourcePort?: number
}

/** Digits of the heartbeat counter: a fixed width, so that it can be overwritten in place. */
const width = 10
const marker = '7'.repeat(width)

export interface CannedAnswers {
  readonly version: string
  isFastLook(sql: string): boolean
  /** The bytes that answer a text; undefined: as a statement without rows. */
  reply(sql: string, heartbeats: number): Buffer | undefined
}

const software = 'mariadb-10.11'
const recordings = { primary: readRecording(software, 'primary'), replica: readRecording(software, 'replica') }
const dialect = mariadbDialect({ flavour: 'mariadb', version: { major: 10, minor: 11, patch: 0 }, versionText: '' })
const shared = sharedRows(recordings.primary)
/** Texts with values, up to the first of them. */
const sharedStarts = [...shared]
  .filter(([sql]) => sql.includes('?'))
  .map(([sql, rows]) => [sql.split('?')[0] ?? sql, rows] as const)

export function cannedAnswers({ number, sourcePort }: CannedServer): CannedAnswers {
  const { identify: identity, fast, semiSync } = recordings[sourcePort === undefined ? 'primary' : 'replica']
  const [variables = [], channels = []] = fast
  const own = [
    variables.map((row) => ({ ...row, server_id: number })),
    channels.map((row) => ({ ...row, Master_Port: sourcePort, Slave_received_heartbeats: marker })),
  ]
  const answers = new Map<string, Buffer>([
    [dialect.fastProbe, answer(own)],
    [`${dialect.fastProbe};${dialect.semiSyncStatus}`, answer([...own, semiSync])],
  ])
  return {
    version: String(identity[0]?.[0]?.version ?? ''),
    isFastLook: (sql) => answers.has(sql),
    reply(sql, heartbeats) {
      const bytes = answers.get(sql)
      if (bytes) return withHeartbeats(bytes, heartbeats)
      return sharedReply(sql)
    },
  }
}

type Results = Parameters<typeof answer>[0]

function sharedRows({ identify: identity, slow }: Recording): ReadonlyMap<string, Results> {
  const parts = Object.entries(dialect.slowProbe('', {})) as [SlowPart, { sql: string }][]
  return new Map<string, Results>([
    [identify.sql, identity],
    ...parts.map(([part, { sql }]) => [sql, [(slow[part] satisfies Rows | undefined) ?? []]] as const),
  ])
}

/** The same for every server: made once for each text. */
const replies = new Map<string, Buffer | undefined>()

/** A text may hold several statements. */
function sharedReply(sql: string): Buffer | undefined {
  if (replies.has(sql)) return replies.get(sql)
  const known = rowsOf(sql, (start) => start.includes(';'))
  const each = known ? [known] : sql.split(';').map((statement) => rowsOf(statement))
  const results = each.some((rows) => rows !== undefined) ? each.flatMap((rows) => rows ?? [undefined]) : undefined
  const bytes = results && answer(results)
  replies.set(sql, bytes)
  return bytes
}

const rowsOf = (sql: string, among = (_start: string): boolean => true): Results | undefined =>
  shared.get(sql) ?? sharedStarts.find(([start]) => among(start) && sql.startsWith(start))?.[1]

/** The counter stands in the bytes as ten digits; the first call finds where. */
const places = new WeakMap<Buffer, number>()

function withHeartbeats(bytes: Buffer, heartbeats: number): Buffer {
  const place = places.get(bytes) ?? bytes.indexOf(marker)
  places.set(bytes, place)
  if (place >= 0) bytes.write(String(heartbeats).padStart(width, '0'), place)
  return bytes
}
