// The executor joined to real servers of a test, as the cluster's owner joins it in the daemon.
import { ok, unwrap } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { dialectFor, identify, parseIdentity } from '../../../lib/dialect/index.js'
import {
  createPerform,
  createSessions,
  type EffectContext,
  type EffectServer,
  nearby,
  type Perform,
} from '../../../lib/effect/index.js'
import type { Command } from '../../../lib/model/operation/command.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Operation, Plan } from '../../../lib/model/operation/operation.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { newDirectory } from '../machine/directories.js'
import { accounts, type Node } from './database.js'

export interface TestEffects {
  readonly context: EffectContext
  readonly perform: Perform
  readonly directory: string
  readonly log: readonly string[]
  readonly crashes: readonly Crash[]
  /** Performs one command; throws its failure. */
  run(command: Command): Promise<string>
  close(): void
}

/** Servers are called by the names of their nodes. */
export async function testEffects(nodes: readonly Node[], change: Partial<EffectContext> = {}): Promise<TestEffects> {
  const servers = new Map<ServerId, EffectServer>()
  for (const node of nodes) servers.set(node.name, await effectServer(node))
  const directory = newDirectory('effects')
  const log: string[] = []
  const crashes: Crash[] = []
  const server = (id: ServerId) => servers.get(id)
  const context: EffectContext = {
    cluster: 'c1',
    directory,
    server,
    sessions: createSessions({ open: openSession, server }),
    settings: () => ({
      replication: {
        ...accounts.replication,
        heartbeatSeconds: 0.5,
        connectRetrySeconds: 1,
        tls: false,
        channel: '',
      },
      crashFilesKept: 5,
      binlogTool: '',
    }),
    proxies: () => [],
    proxyTarget: () => ({ readers: [] }),
    reprobe: async () => ok('nothing has changed'),
    mayOpen: async () => ok(undefined),
    observed: () => undefined,
    probeSlowly: async () => undefined,
    tripMs: nearby,
    waits: () => undefined,
    crashRecorded: (crash) => crashes.push(crash),
    now,
    log: (line) => log.push(line),
    ...change,
  }
  const perform = createPerform(context)
  const run = async (command: Command) => unwrap(await perform(command, new AbortController().signal))
  return { context, perform, directory, log, crashes, run, close: () => context.sessions.close() }
}

export async function effectServer(node: Node): Promise<EffectServer> {
  const target = node.target('monitor', 10_000)
  const session = unwrap(await openSession(node.target('monitor')))
  const answer = unwrap(await session.run(identify.sql, identify.values, 30_000))
  session.close()
  const { host, port, name, extraPort } = node
  return {
    spec: {
      id: name,
      name,
      host,
      port,
      rating: 'unrated',
      maintenance: false,
      readOnlyIgnored: false,
      delaySeconds: 0,
    },
    target,
    dialect: dialectFor(parseIdentity(answer).identity),
    reservedPort: extraPort,
  }
}

/** The operation of a plan as its owner begins it. */
export function beginning(plan: Plan, startedAt = now()): Operation {
  const { kind, reason, deadlineMs, commands, oldPrimary, newPrimary } = plan
  return {
    id: `${kind}-1`,
    kind,
    reason,
    owner: 'spec',
    startedAt,
    deadlineAt: startedAt + deadlineMs,
    phase: 'running',
    steps: commands.map((command) => ({ command, state: 'waiting' })),
    ...(oldPrimary === undefined ? {} : { oldPrimary }),
    ...(newPrimary === undefined ? {} : { newPrimary }),
  }
}
