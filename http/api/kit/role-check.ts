// The role checks of load balancers: answered from shared flags, without a token and without a message.
import { FLAG_LAG_SHIFT, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../../actors/protocol/actor.js'
import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import { findMember } from './member.js'
import type { Member } from './route.js'

export interface RoleQuestion {
  readonly cluster: string
  readonly role: 'primary' | 'replica'
  /** Absent: whether the cluster has any server of that role. */
  readonly server?: string
  readonly port?: string
  /** The query, undecoded: `lag=<seconds>` bounds the lag of a replica. */
  readonly query: string
}

export interface RoleAnswer {
  readonly status: 200 | 400 | 500 | 503
  readonly text: string
  /** Who has the role, when the question was about the cluster. */
  readonly members: readonly Member[]
}

const texts = {
  primary: { yes: '200 -Valid Master!', no: '503 -Not a Valid Master!' },
  replica: { yes: '200 -Valid Slave!', no: '503 -Not a Valid Slave!' },
} as const

/** Last word of the path → the role it asks for; those of `/clusters/…` are an older spelling. */
const words: ReadonlyMap<string, RoleQuestion['role']> = new Map([
  ['is-master', 'primary'],
  ['is-slave', 'replica'],
  ['primary', 'primary'],
  ['replica', 'replica'],
])
/** Only these may be asked of a cluster: a check that has lost its server's name must not answer yes for every server. */
const clusterWords: ReadonlySet<string> = new Set(['primary', 'replica'])
const olderWords: ReadonlyMap<string, RoleQuestion['role']> = new Map([
  ['master-status', 'primary'],
  ['slave-status', 'replica'],
])

/** The question a URL asks, undefined when it is about something else. */
export function parseRoleQuestion(url: string): RoleQuestion | undefined {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const older = path.startsWith('/clusters/')
  if (!older && !path.startsWith('/api/clusters/')) return undefined
  const word = path.slice(path.lastIndexOf('/') + 1)
  const role = (older ? olderWords : words).get(word)
  if (role === undefined) return undefined
  const [cluster, ...target] = decodeAll(path.split('/').slice(older ? 2 : 3, -1))
  if (cluster === undefined || cluster === '' || !isTarget(target, clusterWords.has(word))) return undefined
  const [, server, port] = target
  const query = mark < 0 ? '' : url.slice(mark + 1)
  return { cluster, role, query, ...(server && { server }), ...(port && { port }) }
}

/** `200` for yes, `503` for no, `500` for an unknown cluster; a server that was not probed yet is a no. */
export function judgeRole(manager: ManagerFace, question: RoleQuestion): RoleAnswer {
  const { cluster, role } = question
  const text = texts[role]
  const maxLag = parseLag(question.query)
  if (maxLag === undefined) return { status: 400, text: 'lag: a number of seconds is expected', members: [] }
  const view = manager.members(cluster)
  if (!view && !manager.clusters().includes(cluster)) return { status: 500, text: 'No cluster', members: [] }
  if (!view || manager.quarantined().has(cluster)) return { status: 503, text: text.no, members: [] }

  const holds = ({ slot }: Member) => hasRole(manager.flags(cluster, slot), role, maxLag)
  if (question.server === undefined) {
    const members = view.servers.filter(holds)
    return members.length > 0 ? { status: 200, text: text.yes, members } : { status: 503, text: text.no, members }
  }
  const member = findMember(view, question.server, question.port)
  return member && holds(member)
    ? { status: 200, text: text.yes, members: [] }
    : { status: 503, text: text.no, members: [] }
}

/** Decodes after splitting; nothing when one of the parts cannot be decoded. */
function decodeAll(parts: readonly string[]): readonly string[] {
  try {
    return parts.map((part) => (part.includes('%') ? decodeURIComponent(part) : part))
  } catch {
    return []
  }
}

function isTarget([folder, server, port, ...rest]: readonly string[], ofCluster: boolean): boolean {
  if (rest.length > 0) return false
  if (folder === undefined) return ofCluster
  return folder === 'servers' && server !== undefined && server !== '' && port !== ''
}

/** A lag that is unknown exceeds every bound. */
function hasRole(flags: number, role: RoleQuestion['role'], maxLag: number): boolean {
  if (role === 'primary') return (flags & FLAG_VALID_PRIMARY) !== 0
  const lag = flags >>> FLAG_LAG_SHIFT
  return (flags & FLAG_VALID_REPLICA) !== 0 && (maxLag === Number.POSITIVE_INFINITY || (lag > 0 && lag - 1 <= maxLag))
}

/** Seconds; infinity when the query sets no bound, undefined when it cannot be read. */
function parseLag(query: string): number | undefined {
  if (query === '') return Number.POSITIVE_INFINITY
  const lag = new URLSearchParams(query).get('lag')
  if (lag === null) return Number.POSITIVE_INFINITY
  const seconds = /^(\d{1,9})s?$/.exec(lag)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}
