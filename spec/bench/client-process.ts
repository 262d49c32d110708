// Clients of a cluster in a process of their own: they write, and after a failure try one server after the other.
import { now, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import { answer } from './child.js'

export interface Clients {
  /** Ports on this machine; the table and the account are those of `prepareWrites`. */
  readonly ports: readonly number[]
  readonly count: number
  /** How long a client waits for a connection or an answer, milliseconds. */
  readonly patienceMs: number
  /** Pause after each write and before the next attempt, milliseconds; absent: only a short one before the next attempt. */
  readonly pauseMs?: number
  /** They ask which server they got: behind a proxy its port says nothing. */
  readonly asksWho?: boolean
}

interface Acknowledgement {
  readonly at: number
  readonly port: number
}

const PAUSE_MS = 2
const acknowledged: Acknowledgement[] = []
let marked = 0
/** The table may hold what other processes wrote. */
const first = (process.pid % 2_000_000) * 1_000

async function write(writer: number, { ports, patienceMs, pauseMs, asksWho }: Clients): Promise<never> {
  let session: SqlSession | undefined
  let server = 0
  for (let entry = 1, at = 0; ; entry += 1) {
    const port = ports[at % ports.length] ?? 0
    const login = { user: 'writer', password: 'writer', connectTimeoutMs: patienceMs }
    const opened = session ? undefined : await openSession({ host: '127.0.0.1', port, ...login })
    if (opened?.ok) {
      session = opened.value
      server = asksWho ? await portOf(session, patienceMs) : port
    }
    const written = await session?.run(
      'INSERT INTO spec.acknowledged VALUES (?, ?)',
      [first + writer, entry],
      patienceMs,
    )
    if (written?.ok) {
      acknowledged.push({ at: now(), port: server })
      if (pauseMs !== undefined) await sleep(pauseMs)
      continue
    }
    session?.close()
    session = undefined
    at += 1
    await sleep(pauseMs ?? PAUSE_MS)
  }
}

async function portOf(session: SqlSession, patienceMs: number): Promise<number> {
  const asked = await session.run('SELECT @@port AS port', [], patienceMs)
  return asked.ok ? Number(asked.value[0]?.[0]?.port) : 0
}

export const clientAnswers = {
  /** Resolves when they are writing. */
  async start(clients: Clients): Promise<void> {
    for (let writer = 0; writer < clients.count; writer += 1) void write(writer, clients)
    while (acknowledged.length < 100) await sleep(PAUSE_MS)
  },

  /** From here on the gap counts. */
  mark(): void {
    marked = acknowledged.length - 1
  },

  /** The longest time without an acknowledgement since the mark, once another server takes writes; milliseconds. */
  async gap(limitMs: number): Promise<number> {
    const before = acknowledged[marked]?.port
    const until = now() + limitMs
    while (acknowledged.findIndex(({ port }, index) => index > marked && port !== before) < 0) {
      if (now() > until) throw new Error(`no server takes writes after ${limitMs} ms`)
      await sleep(PAUSE_MS)
    }
    await sleep(100)
    const times = acknowledged.slice(marked).map(({ at }) => at)
    return times.slice(1).reduce((longest, at, index) => Math.max(longest, at - (times[index] ?? at)), 0)
  },
}

answer(clientAnswers)
