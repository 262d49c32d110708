// Waits until a cluster is whole again, or until the manager says of everything that is amiss why it stays so.
import { SECOND, sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import type { Arena } from './arena.js'

const LIMIT_MS = 120 * SECOND
/** On a machine without a free processor one examination takes seconds, and its own connections fail: that is no last word either. */
const LAST_MS = 480 * SECOND
/** So long it must be the same before it counts as the last word. */
const STANDS_MS = 20 * SECOND
const PAUSE_MS = 250

export interface Alert {
  readonly number: string
  readonly desc: string
}

export interface Settled {
  /** What is amiss; empty when the cluster is whole. */
  readonly amiss: readonly string[]
  readonly alerts: readonly Alert[]
  /** Who has the role and answers, as it should be or not. */
  readonly primary?: Node
  /** The servers that are as they should be; empty without a primary. */
  readonly whole: readonly Node[]
  /** A finding reports every amiss. */
  readonly isReported: boolean
  readonly tookMs: number
}

/** Findings that report why a server, or the whole cluster, is left to a person. */
const reporting: Readonly<Record<string, 'server' | 'cluster'>> = {
  WARN0186: 'server',
  WARN0091: 'server',
  ERR00064: 'server',
  ERR00066: 'server',
  ERR00012: 'cluster',
  ERR00026: 'cluster',
  ERR00084: 'cluster',
  ERR00116: 'cluster',
  ERR00117: 'cluster',
}

/** Errors that name a server and no cause. */
const symptoms: ReadonlySet<string> = new Set(['ERR00063', 'ERR00085', 'ERR00087'])

export async function settle(arena: Arena): Promise<Settled> {
  const startedAt = performance.now()
  let before = ''
  let since = startedAt
  for (;;) {
    const found = await examine(arena)
    const at = performance.now()
    const isLate = at - startedAt > LIMIT_MS
    // What a manager that was just started has not seen yet is an error of a moment.
    if (found.amiss.length === 0 && (isLate || !found.alerts.some(isError))) return { ...found, tookMs: at - startedAt }
    const now = found.amiss.join()
    if (now !== before) since = at
    before = now
    const stands = found.amiss.length > 0 && (found.isReported || isLate) && at - since > STANDS_MS
    if (stands || at - startedAt > LAST_MS) return { ...found, tookMs: at - startedAt }
    await sleep(PAUSE_MS)
  }
}

export const isError = ({ number }: Alert): boolean => number.startsWith('ERR')

interface Amiss {
  readonly text: string
  /** The server as findings name it; absent for the whole cluster. */
  readonly address?: string
  /** What a manager shows that did not get the processor when a probe was due. */
  readonly isSuspicion?: true
  /** It does not answer at all. */
  readonly isSilent?: true
}

async function examine(arena: Arena): Promise<Omit<Settled, 'tookMs'>> {
  const { cluster, nodes } = arena
  const primary = await cluster.primaryNow().catch(() => undefined)
  const alerts = await alertsOf(arena)
  if (!primary) {
    const isReported = alerts.some(({ number }) => reporting[number] === 'cluster')
    return { amiss: ['no server is the primary'], alerts, whole: [], isReported }
  }
  const replicas = await Promise.all(
    nodes.map((node) => (node === primary ? [] : judgeReplica(arena, { node, primary }))),
  )
  const sound = replicas.filter((one) => one.length === 0).length - 1
  const mine = await judgePrimary(arena, { node: primary, replicas: sound })
  const found = replicas.map((one, index) => (nodes[index] === primary ? mine : one))
  const all = found.flat()
  const whole = nodes.filter((_, index) => found[index]?.length === 0)
  return {
    ...(mine.some(({ isSilent }) => isSilent) ? {} : { primary }),
    ...{ whole, alerts, amiss: all.map(({ text }) => text) },
    isReported: all.every((one) => isReported(one, alerts)),
  }
}

/** The manager was late, or answers of servers are. */
const late: ReadonlySet<string> = new Set(['WARN0239', 'WARN0237'])

const isReported = ({ address, isSuspicion }: Amiss, alerts: readonly Alert[]): boolean =>
  alerts.some(({ number, desc }) => {
    if (reporting[number] === 'cluster' || (isSuspicion && late.has(number))) return true
    const isCause = reporting[number] === 'server' || (number.startsWith('ERR') && !symptoms.has(number))
    return isCause && address !== undefined && desc.includes(address)
  })

export async function alertsOf({ cluster }: Arena): Promise<readonly Alert[]> {
  const { errors, warnings } = await cluster.manager.get<Record<'errors' | 'warnings', readonly Alert[]>>(
    '/api/clusters/story/topology/alerts',
  )
  return [...errors, ...warnings]
}

async function judgePrimary(
  arena: Arena,
  { node, replicas }: { readonly node: Node; readonly replicas: number },
): Promise<readonly Amiss[]> {
  const address = arena.nameOf(node)
  const say = (text: string): Amiss => ({ text: `${node.name} is the primary and ${text}`, address })
  try {
    const [row = {}] = await arena.hand(node, 'SELECT @@read_only AS closed')
    const status = await arena.hand(node, "SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%'")
    const sources = await arena.hand(node, 'SHOW SLAVE STATUS')
    const semi = new Map(status.map(({ Variable_name, Value }) => [String(Variable_name), String(Value)]))
    const acknowledge = Number(semi.get('Rpl_semi_sync_master_clients') ?? 0)
    const isSemi = arena.scene.semiSync && replicas > 0
    const state = await arena.cluster.stateOf(node)
    return [
      ...(String(row.closed) === '0' ? [] : [say('takes no writes')]),
      ...(sources.length === 0 ? [] : [say('follows a source')]),
      ...(isSemi && semi.get('Rpl_semi_sync_master_status') !== 'ON' ? [say('waits for no acknowledgement')] : []),
      ...(isSemi && acknowledge < replicas ? [say(`${acknowledge} replicas acknowledge`)] : []),
      ...(state === 'Master' ? [] : [shown(say, state)]),
    ]
  } catch (error) {
    return [{ ...say(`does not answer: ${String(error)}`), isSilent: true }]
  }
}

async function judgeReplica(
  arena: Arena,
  { node, primary }: { readonly node: Node; readonly primary: Node },
): Promise<readonly Amiss[]> {
  const address = arena.nameOf(node)
  const say = (text: string): Amiss => ({ text: `${node.name} ${text}`, address })
  try {
    const [row = {}] = await arena.hand(node, 'SELECT @@read_only AS closed')
    const [source] = await arena.hand(node, 'SHOW SLAVE STATUS')
    const state = await arena.cluster.stateOf(node)
    const doors = doorsOf(arena, primary)
    const error = `${source?.Last_IO_Error || source?.Last_SQL_Error || ''}`
    const threads = `${source?.Slave_IO_Running} ${source?.Slave_SQL_Running}`
    return [
      ...(String(row.closed) === '1' ? [] : [say('takes writes')]),
      ...(!source ? [say('follows no source')] : []),
      ...(source && !doors.includes(Number(source.Master_Port)) ? [say(`follows ${source.Master_Port}`)] : []),
      ...(source && threads !== 'Yes Yes' ? [say(`replicates ${threads} ${error}`.trim())] : []),
      ...(source && state === 'Relay' ? await relayed(arena, node) : []),
      ...(source && !['Slave', 'Relay'].includes(state) ? [shown(say, state)] : []),
    ]
  } catch (error) {
    return [say(`does not answer: ${String(error)}`)]
  }
}

const shown = (say: (text: string) => Amiss, state: string): Amiss => ({
  ...say(`is shown as ${state}`),
  ...(state === 'Suspect' ? { isSuspicion: true as const } : {}),
})

/** The ports by which a node is reached, directly and through its gate. */
const doorsOf = ({ gates, nodes }: Arena, node: Node) => [node.port, gates[nodes.indexOf(node)]?.port]

/** A relay is one because of a server that follows it: what is reported of that one explains it. */
async function relayed(arena: Arena, node: Node): Promise<readonly Amiss[]> {
  const doors = doorsOf(arena, node)
  const text = `${node.name} is shown as Relay`
  for (const other of arena.nodes.filter((each) => each !== node)) {
    const [source] = await arena.hand(other, 'SHOW SLAVE STATUS')
    if (source && doors.includes(Number(source.Master_Port))) return [{ text, address: arena.nameOf(other) }]
  }
  return [{ text }]
}
