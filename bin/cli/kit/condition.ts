// What `wait` waits for: conditions as words, what they must know of a cluster, and whether they hold. Pure.
import {
  answers,
  gradeState,
  isClosedPrimary,
  type WireAlerts,
  type WireCluster,
  type WireServer,
} from '../../../http/client/wire.js'
import { SECOND } from '../../../lib/base/time.js'
import { EXIT, Exit } from '../output/exit.js'

/** What is known of the cluster: only what the conditions need is read. */
export interface Seen {
  readonly servers: readonly WireServer[]
  /** Also while it is down; null when there is none. */
  readonly primary: WireServer | null
  readonly alerts: WireAlerts
  readonly cluster: Pick<WireCluster, 'isHealthy' | 'healthFaults'>
  readonly verdict: {
    readonly operation?: { readonly id: string; readonly kind: string } | null
  }
}

export type Topic = keyof Seen

export interface Judgement {
  readonly met: boolean
  /** How it is now, for people. */
  readonly now: string
  /** The server that it names is none of the cluster. */
  readonly stranger?: boolean
}

export interface Condition {
  /** As it was given. */
  readonly text: string
  readonly needs: readonly Topic[]
  judge(seen: Seen): Judgement
}

interface Kind {
  readonly form: string
  readonly meaning: string
  readonly needs: readonly Topic[]
  /** The part behind `=` must be there, may be, or must not. */
  readonly value: 'needed' | 'optional' | 'none'
  judge(seen: Seen, value: string): Judgement
}

export const conditionKinds: Readonly<Record<string, Kind>> = {
  primary: {
    form: 'primary=SERVER',
    meaning: 'the server is the primary, reachable and writable',
    needs: ['servers', 'primary'],
    value: 'needed',
    judge: ({ servers, primary }, name) => {
      if (isStrange(servers, name)) return noServer(name)
      if (!primary) return { met: false, now: 'there is no primary' }
      const writes = answers(primary) && primary.readOnly !== 'ON'
      const now = `the primary is ${addressOf(primary)}, ${primary.state}${writes ? '' : ', and not writable'}`
      return { met: isNamed(primary, name) && writes, now }
    },
  },
  state: {
    form: 'state=SERVER:STATE',
    meaning: 'the server is in that state, as `topology` shows it',
    needs: ['servers'],
    value: 'needed',
    judge: ({ servers }, text) => {
      const colon = text.lastIndexOf(':')
      const [name, state] = [text.slice(0, colon), text.slice(colon + 1)]
      const server = servers.find((each) => isNamed(each, name))
      if (isStrange(servers, name)) return noServer(name)
      if (!server) return { met: false, now: 'no server is known yet' }
      return { met: server.state.toLowerCase() === state.toLowerCase(), now: `${name} is ${server.state}` }
    },
  },
  healthy: {
    form: 'healthy[=SERVER]',
    meaning:
      'the cluster is healthy, as share/doc/health.md defines it: up, every replica valid, no error open; with SERVER: this server is',
    needs: ['servers', 'cluster'],
    value: 'optional',
    judge: ({ servers, cluster }, name) => {
      if (name !== '' && isStrange(servers, name)) return noServer(name)
      const faults = name === '' ? faultsOf(cluster) : faultsOfServer(servers, name)
      return { met: faults.length === 0, now: faults.length === 0 ? 'all checks passed' : faults.join('; ') }
    },
  },
  'no-findings': {
    form: 'no-findings[=CODE]',
    meaning: 'no error and no warning is open; with CODE: none whose code starts with it (`ERR`, `WARN0320`)',
    needs: ['alerts'],
    value: 'optional',
    judge: ({ alerts }, code) => {
      const open = [...alerts.errors, ...alerts.warnings].filter(({ number }) => number.startsWith(code.toUpperCase()))
      return {
        met: open.length === 0,
        now: open.length === 0 ? 'none is open' : open.map(({ number }) => number).join(', '),
      }
    },
  },
  operation: {
    form: 'operation[=ID]',
    meaning: 'no operation is running; with ID: that operation has ended',
    needs: ['verdict'],
    value: 'optional',
    judge: ({ verdict: { operation } }, id) => {
      const runs = operation && (id === '' || operation.id === id)
      return { met: !runs, now: runs ? `${operation.id} is running` : 'nothing is running' }
    },
  },
}

/** A manager that does not say so is older than the definition. */
const faultsOf = ({ isHealthy, healthFaults = [] }: Seen['cluster']): readonly string[] =>
  isHealthy === undefined ? ['the manager does not report whether it is healthy'] : healthFaults

function faultsOfServer(servers: readonly WireServer[], name: string): readonly string[] {
  if (servers.length === 0) return ['no server is known yet']
  return servers
    .filter((each) => isNamed(each, name))
    .flatMap((server) => {
      if (gradeState(server.state) !== 'good') return [`${addressOf(server)} is ${server.state}`]
      return isClosedPrimary(server) ? [`${addressOf(server)} is ${server.state}, and not writable`] : []
    })
}

/** `primary=db2` as a condition; an `Exit` says what is wrong with it. */
export function parseCondition(text: string): Condition {
  const equal = text.indexOf('=')
  const [name, value] = equal < 0 ? [text, ''] : [text.slice(0, equal), text.slice(equal + 1)]
  const kind = Object.hasOwn(conditionKinds, name) ? conditionKinds[name] : undefined
  const forms = Object.values(conditionKinds).map(({ form }) => form)
  if (!kind) throw new Exit(EXIT.usage, `--for ${text}: none of ${forms.join(', ')}`)
  const isWrong = (kind.value === 'needed' && value === '') || (name === 'state' && !/.:./.test(value))
  if (isWrong) throw new Exit(EXIT.usage, `--for ${text}: it is ${kind.form}`)
  return { text, needs: kind.needs, judge: (seen) => kind.judge(seen, value) }
}

/** A manager that starts knows no server yet: then none is strange. */
const isStrange = (servers: readonly WireServer[], name: string): boolean =>
  servers.length > 0 && !servers.some((each) => isNamed(each, name))

const noServer = (name: string): Judgement => ({ met: false, now: `there is no server ${name}`, stranger: true })

const addressOf = ({ host, port }: WireServer): string => `${host}:${port}`

const isNamed = (server: WireServer, name: string): boolean =>
  [server.id, server.name, server.host, addressOf(server)].includes(name)

const units: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: 60 * SECOND, h: 3_600 * SECOND, '': SECOND }

/** `30s`, `5m`, `500ms`, `1h`, or seconds without a unit → milliseconds. */
export function parseDuration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|)$/.exec(text.trim()) ?? []
  const factor = units[unit]
  if (number === undefined || factor === undefined)
    throw new Exit(EXIT.usage, `--timeout ${text}: expected a duration such as 30s or 5m`)
  return Number(number) * factor
}
