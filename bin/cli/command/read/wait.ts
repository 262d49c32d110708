// `wait`: until conditions of a cluster are met. Events trigger a check; a slow poll covers missed events.
import type { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { openEvents, readEvents } from '../../../../http/client/events.js'
import type { Session } from '../../../../http/client/session.js'
import { hintOf } from '../../../../lib/base/failures.js'
import { now, SECOND, sleep } from '../../../../lib/base/time.js'
import {
  type Condition,
  conditionKinds,
  parseCondition,
  parseDuration,
  type Seen,
  type Topic,
} from '../../kit/condition.js'
import { call, chooseCluster } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'

/** Interval between checks without events. */
const CHECK_INTERVAL_MS = 2 * SECOND
/** Events come in bursts: one check for those of this period. */
const SETTLE_MS = 20

interface WaitOptions {
  readonly for: readonly Condition[]
  readonly timeout: number
}

export function addWait(program: Command, context: Context): void {
  const forms = Object.values(conditionKinds).map(({ form }) => form)
  program
    .command('wait')
    .description('wait until all given conditions of a cluster are met at once')
    .addOption(
      new Option('--for <condition>', `condition to wait for (repeatable, all must be met): ${forms.join(', ')}`)
        .argParser((text: string, before: readonly Condition[] = []) => [...before, parseCondition(text)])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--timeout <time>', 'timeout: 500ms, 30s, 5m, 1h').default(300_000, '5m').argParser(parseDuration),
    )
    .action((options: WaitOptions) => wait(options, context))
}

/** One condition at the end. */
interface Waited {
  readonly condition: string
  readonly met: boolean
  readonly now: string
  /** Milliseconds since the wait began. */
  readonly afterMs: number
  readonly stranger?: boolean
}

async function wait({ for: conditions, timeout }: WaitOptions, context: Context): Promise<void> {
  const end = new AbortController()
  const bell = new Bell(context.session())
  const state: State = { conditions, began: now(), until: now() + timeout, checked: false, last: [] }
  try {
    const outcome = await Promise.race([
      keepChecking(state, { bell, signal: end.signal }, context),
      untilLate(state, end.signal),
    ])
    print(await format(context.flags(), state.last, renderWaited))
    if (outcome === 'late') throw lateExit(state, timeout)
  } finally {
    end.abort()
    bell.close()
  }
}

/** What is known so far. */
interface State {
  readonly conditions: readonly Condition[]
  readonly began: number
  readonly until: number
  /** The first check has ended. */
  checked: boolean
  last: readonly Waited[]
  /** Why the latest check failed. */
  trouble?: Exit | undefined
}

interface Waking {
  readonly bell: Bell
  readonly signal: AbortSignal
}

/** At least one check is made, however short the timeout is. */
async function untilLate(state: State, signal: AbortSignal): Promise<'late'> {
  await sleep(state.until - state.began, signal)
  while (!state.checked && !signal.aborted) await sleep(SETTLE_MS, signal)
  return 'late'
}

async function keepChecking(state: State, { bell, signal }: Waking, context: Context): Promise<'met' | 'late'> {
  while (!signal.aborted) {
    const rung = bell.next()
    const met = await check(state, bell, context).catch((error: unknown) => {
      state.trouble = passing(error)
      return false
    })
    state.checked = true
    if (met) return 'met'
    await Promise.race([rung, sleep(CHECK_INTERVAL_MS, signal)])
    await sleep(SETTLE_MS, signal)
  }
  return 'late'
}

async function check(state: State, bell: Bell, { flags, session }: Context): Promise<boolean> {
  const cluster = await chooseCluster(session(), flags())
  await bell.listen(cluster)
  const seen = await readSeen(session(), cluster, state)
  const afterMs = Math.round(now() - state.began)
  state.last = state.conditions.map(({ text, judge }) => ({ condition: text, ...judge(seen), afterMs }))
  state.trouble = undefined
  const strange = state.last.find(({ stranger }) => stranger)
  if (strange)
    throw new Exit(
      EXIT.notFound,
      `${strange.condition}: ${strange.now} in ${cluster}\n${hintOf('unknown-server', 'cli')}`,
    )
  return state.last.every(({ met }) => met)
}

function lateExit({ last, trouble }: State, timeout: number): Exit {
  const open = last.filter(({ met }) => !met).map(({ condition, now: is }) => `${condition}: ${is}`)
  const why = trouble?.message ?? open.join('\n')
  return new Exit(EXIT.timeout, `timeout: not met within ${timeout / SECOND} s\n${why}`.trimEnd())
}

const passingStatuses: readonly number[] = [EXIT.error, EXIT.timeout, EXIT.unreachable]

/** A manager that is gone may come back within the time; everything else ends the wait. */
function passing(error: unknown): Exit {
  if (error instanceof Exit && passingStatuses.includes(error.status)) return error
  throw error
}

const renderWaited = (waited: readonly Waited[]): string =>
  waited.map(({ condition, met, now: is }) => `${met ? 'met' : 'not met'}  ${condition}: ${is}`).join('\n')

const addresses = {
  servers: 'GET /api/clusters/:cluster/topology/servers',
  primary: 'GET /api/clusters/:cluster/topology/master',
  alerts: 'GET /api/clusters/:cluster/topology/alerts',
  cluster: 'GET /api/clusters/:cluster',
  verdict: 'GET /api/clusters/:cluster/failover/explain',
} as const satisfies Readonly<Record<Topic, string>>

/** A manager that hangs is not waited for beyond the end of the wait. */
async function readSeen(session: Session, cluster: string, { conditions, until }: State): Promise<Seen> {
  const timeoutMs = Math.ceil(Math.max(SECOND, until - now()))
  const topics = [...new Set(conditions.flatMap(({ needs }) => needs))]
  const values = topics.map(
    async (topic) => [topic, await call(session, addresses[topic], { params: { cluster }, timeoutMs })] as const,
  )
  const nothing: Seen = { servers: [], primary: null, alerts: { errors: [], warnings: [] }, cluster: {}, verdict: {} }
  return { ...nothing, ...Object.fromEntries(await Promise.all(values)) }
}

/** Rings at every event of the cluster, as long as its stream can be had. */
class Bell {
  readonly #session: Session
  #response: Readable | undefined
  #ring: () => void = () => {}
  #closed = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Resolves at the next event. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#ring = resolve
    })
  }

  /** Opens the stream unless it is open: what happens after this rings. */
  async listen(cluster: string): Promise<void> {
    if (this.#response || this.#closed) return
    const opened = await openEvents(this.#session, cluster)
    if (!opened.ok || opened.value.type !== 'open') return
    if (this.#closed) return void opened.value.response.destroy()
    this.#response = opened.value.response
    void this.#hear(opened.value.response)
  }

  async #hear(response: Readable): Promise<void> {
    for await (const _ of readEvents(response)) this.#ring()
    this.#response = undefined
  }

  close(): void {
    this.#closed = true
    this.#response?.destroy()
  }
}
