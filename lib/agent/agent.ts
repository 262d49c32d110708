// The health agent of one database: reads its server, asks managers for statements, answers load balancers, and closes an isolated primary.
import { type KeyObject, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { ok, type Result } from '../base/result.js'
import { SECOND, sleep, steadyNow } from '../base/time.js'
import { atomicWrite } from '../store/kit/atomic-write.js'
import { openAnswers } from './answers.js'
import { askManager } from './ask-manager.js'
import {
  type AgentMemory,
  type AgentRules,
  judgeAgent,
  judgeReader,
  type LocalReading,
  noteReading,
  takeStatement,
} from './judge.js'
import { createLocalServer, type LocalAccount } from './local-server.js'
import { readStatement, type Statement, VALID_MS } from './statement.js'

interface Address {
  readonly host: string
  readonly port: number
}

export interface AgentOptions extends AgentRules {
  readonly managers: readonly Address[]
  readonly keys: readonly KeyObject[]
  readonly listen: Address
  readonly database: LocalAccount
  /** Where it keeps the latest statement, and whether it closed its server. */
  readonly stateFile: string
  readonly intervalMs: number
  readonly log: (text: string) => void
}

export interface Agent {
  readonly port: number
  close(): Promise<void>
}

/** Longest wait for one manager. */
const ASK_MS = SECOND

/** Failure `cannot-listen`. */
export async function startAgent(options: AgentOptions): Promise<Result<Agent>> {
  const { log, intervalMs } = options
  const ended = new AbortController()
  const server = createLocalServer(options.database)
  let memory: AgentMemory = { validUntil: steadyNow() + (options.validMs ?? VALID_MS), ...(await recall(options)) }
  let local: LocalReading = await server.read()
  let last = ''
  const judge = () => judgeAgent(memory, { local, rules: options, now: steadyNow() })
  const report = () => {
    const { why } = judge()
    if (why !== last) log(why)
    last = why
  }
  const remember = async (next: AgentMemory) => {
    const changes = next.closed !== memory.closed || next.latest?.primary.id !== memory.latest?.primary.id
    memory = next
    if (changes) await keep(options, next)
  }
  const renew = async () => {
    for (const manager of options.managers) {
      // Random, so that no answer to it can exist already.
      const question = { nonce: randomBytes(16).toString('base64url'), askedAt: steadyNow() }
      const answer = await askManager(manager, `${options.cluster} ${question.nonce}`, ASK_MS)
      if (!answer.ok || answer.value === '') continue
      const statement = readStatement(answer.value, options.keys)
      if (!statement.ok) log(`${manager.host}:${manager.port}: ${statement.failure.message}`)
      else if (statement.value.nonce !== question.nonce)
        log(`${manager.host}:${manager.port}: the statement answers another question`)
      else return remember(takeStatement(memory, statement.value, { rules: options, question }))
    }
  }
  const act = async () => {
    // Whether it may be opened is asked at that moment: an earlier answer may have been overtaken.
    if (memory.closed) await renew()
    local = await server.read()
    const { act: wanted } = judge()
    if (wanted !== 'close') await remember(noteReading(memory, local))
    if (wanted === undefined) return
    // Before it is done: an agent that is killed in between still knows that it may open its server again.
    if (wanted === 'close') await remember({ ...memory, closed: true })
    const done = await server.setReadOnly(wanted === 'close')
    if (done.ok && wanted === 'open') await remember({ ...memory, closed: false })
    const late = Math.round(steadyNow() - memory.validUntil)
    if (!done.ok) log(`the server is not ${wanted === 'close' ? 'closed' : 'opened'}: ${done.failure.message}`)
    else
      log(
        wanted === 'close' ? `closed for writes ${late} ms after the last statement ended` : 'opened for writes again',
      )
    local = await server.read()
  }
  const repeat = async (work: () => Promise<void>) => {
    while (!ended.signal.aborted) {
      await work()
      report()
      await sleep(intervalMs, ended.signal)
    }
  }
  // Before the first question: a restart alone takes no primary out of use.
  await renew()
  const listening = await openAnswers(
    {
      primary: () => ({ yes: judge().primary, why: judge().why }),
      replica: (maxLag) => !judge().primary && judgeReader(local, maxLag),
      health: () => ({ ...judge(), local, latest: memory.latest, closed: memory.closed }),
      ...{ cluster: options.cluster, server: options.server },
    },
    options.listen,
  )
  if (!listening.ok) return listening
  const running = [repeat(renew), repeat(act)]
  return ok({
    port: portOf(listening.value),
    close: async () => {
      ended.abort()
      listening.value.closeAllConnections()
      listening.value.close()
      await Promise.all(running)
      server.close()
    },
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

type Kept = Pick<AgentMemory, 'closed'> & { readonly latest?: Statement }

/** A file that cannot be read counts as none: the agent then waits for a statement. */
async function recall({ stateFile, cluster, log }: AgentOptions): Promise<Kept> {
  try {
    const { latest, closed } = JSON.parse(await readFile(stateFile, 'utf8')) as Kept
    return { closed: closed === true, ...(latest?.cluster === cluster ? { latest } : {}) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log(`${stateFile} cannot be read: ${String(error)}`)
    return { closed: false }
  }
}

async function keep({ stateFile, log }: AgentOptions, { latest, closed }: AgentMemory): Promise<void> {
  const written = await atomicWrite(stateFile, JSON.stringify({ closed, ...(latest ? { latest } : {}) }))
  if (!written.ok) log(written.failure.message)
}
