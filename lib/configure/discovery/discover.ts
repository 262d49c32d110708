// Derives the tags and resources of a cluster from running servers, each with its evidence.
import type { ServerConfiguration } from '../../model/server/configuration.js'
import { judgeGates, type Software } from '../facts/gates.js'
import type { Resources } from '../facts/resources.js'
import type { RuleSet } from '../rules/rules.js'
import { contradicting } from '../rules/tags.js'
import { type ProposedSetting, proposeResources } from './resources.js'
import { evidenceOf, type Sign, signs, signText } from './table.js'

export interface DiscoveryInput {
  readonly rules: RuleSet
  /** Tags and resources as they are configured. */
  readonly tags: readonly string[]
  readonly resources: Resources
  /** Every server that answered; the primary first. */
  readonly servers: readonly SeenServer[]
}

export interface SeenServer {
  readonly name: string
  readonly configuration: Pick<ServerConfiguration, 'variables' | 'plugins' | 'identity'>
}

/** A tag with its evidence. */
export interface Proposal {
  readonly tag: string
  /** The row of the table, as `INNODB_DOUBLEWRITE=OFF`. */
  readonly sign: string
  readonly evidence: readonly { readonly server: string; readonly text: string }[]
}

export interface Discovery {
  readonly proposals: readonly Proposal[]
  /** The configured tags that cannot be discovered, then the discovered ones. */
  readonly tags: readonly string[]
  readonly settings: readonly ProposedSetting[]
  /** Reservations about the result, a sentence each. */
  readonly remarks: readonly string[]
}

export function discoverTags({ rules, tags, resources, servers }: DiscoveryInput): Discovery {
  const [first] = servers
  if (!first) return { proposals: [], tags, settings: [], remarks: ['No server could be read.'] }
  const known = new Map(rules.rules.map((rule) => [rule.tag, rule]))
  const software: Software = first.configuration.identity
  const shown = signs
    .filter(({ tag }) => judgeGates(known.get(tag)?.gates ?? [], software) !== 'shut')
    .map((sign) => ({ sign, evidence: evidenceOn(sign, servers) }))
  const found = shown.filter(({ sign, evidence }) => counts(sign, evidence, first))
  const remarks = shown.flatMap(({ sign, evidence }) => differenceText(sign, { evidence, servers }))
  const decided = new Set(signs.map(({ tag }) => tag))
  const kept = tags.filter((tag) => !decided.has(tag))
  const chosen = choose(rules, kept, [...new Set(found.map(({ sign }) => sign.tag))])
  return {
    proposals: found.map(({ sign, evidence }) => ({ tag: sign.tag, sign: signText(sign), evidence })),
    tags: chosen.tags,
    settings: proposeResources(greatest(servers), resources),
    remarks: [...remarks, ...chosen.remarks],
  }
}

type Evidence = Proposal['evidence']

const evidenceOn = (sign: Sign, servers: readonly SeenServer[]): Evidence =>
  servers.flatMap(({ name, configuration }) => {
    const text = evidenceOf(sign, configuration)
    return text === undefined ? [] : [{ server: name, text }]
  })

const counts = ({ anywhere }: Sign, evidence: Evidence, first: SeenServer): boolean =>
  evidence.some(({ server }) => anywhere || server === first.name)

function differenceText(
  sign: Sign,
  { evidence, servers }: { readonly evidence: Evidence; readonly servers: readonly SeenServer[] },
): readonly string[] {
  if (sign.anywhere || evidence.length === 0 || evidence.length === servers.length) return []
  const shows = evidence.map(({ server }) => server)
  const others = servers.map(({ name }) => name).filter((name) => !shows.includes(name))
  return [`${signText(sign)} (${sign.tag}) shows on ${shows.join(', ')} and not on ${others.join(', ')}.`]
}

/** Discovered tags before configured ones: those that contradict a tag already chosen are left out. */
function choose(rules: RuleSet, kept: readonly string[], found: readonly string[]) {
  const remarks: string[] = []
  const take = (list: readonly string[], tag: string): readonly string[] => {
    const [other] = contradicting(rules, list, tag)
    if (other === undefined) return [...list, tag]
    remarks.push(`${tag} is left out: it contradicts ${other}.`)
    return list
  }
  const shown = found.reduce(take, [])
  const rest = kept.reduce(take, shown).slice(shown.length)
  return { tags: [...rest, ...shown], remarks }
}

/** The server with the most memory: a replica on a smaller machine does not shrink the others. */
function greatest(servers: readonly SeenServer[]): SeenServer['configuration'] {
  const poolOf = ({ configuration }: SeenServer): number => Number(configuration.variables.innodb_buffer_pool_size ?? 0)
  const [first, ...others] = servers
  if (!first) throw new Error('no server')
  return others.reduce((most, each) => (poolOf(each) > poolOf(most) ? each : most), first).configuration
}
