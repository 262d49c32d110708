// The open findings of all clusters by their code: what is wrong, on how many clusters, and where exactly.
import { type Finding, readFindings } from '../cluster/finding.js'
import { fieldsOf, listOf, present, textOf, wireOf } from '../wire.js'

export interface FleetFinding {
  /** Empty: of the manager itself. */
  readonly cluster: string
  readonly server?: string
  readonly text: string
  /** The text without what the group says already. */
  readonly detail: string
}

export interface FindingGroup {
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** What all of them say; where they share no sentence, what the first one says. */
  readonly sentence: string
  readonly hint?: string
  readonly runbook?: string
  readonly findings: readonly FleetFinding[]
  /** Names, each once, without the manager. */
  readonly clusters: readonly string[]
}

/** `global/alerts`: errors first, then what is open on most clusters. */
export function groupFindings(reply: unknown): readonly FindingGroup[] {
  const { errors, warnings } = fieldsOf(wireOf<'GET /api/global/alerts'>(reply))
  const clusters = [...listOf(errors), ...listOf(warnings)].map(({ cluster }) => textOf(cluster) ?? '')
  const all = readFindings(reply).map((finding, at) => ({ ...finding, cluster: clusters[at] ?? '' }))
  const byCode = new Map<string, (Finding & { readonly cluster: string })[]>()
  for (const finding of all) {
    const key = `${finding.severity} ${finding.code}`
    const known = byCode.get(key)
    if (known) known.push(finding)
    else byCode.set(key, [finding])
  }
  return [...byCode.values()]
    .map((found): FindingGroup => {
      const [first] = found
      const shared = sharedSentences(found.map(({ text }) => text))
      return present<FindingGroup>({
        code: first?.code ?? '',
        severity: first?.severity ?? 'warning',
        sentence: shared === '' ? (first?.text ?? '') : shared,
        hint: found.every(({ hint }) => hint === first?.hint) ? first?.hint : undefined,
        // Without the names of one cluster: the page is about all of them.
        runbook: first?.runbook?.split('?')[0],
        findings: found.map(({ cluster, server, text }) =>
          present<FleetFinding>({ cluster, server, text, detail: text.slice(shared.length).trim() }),
        ),
        clusters: [...new Set(found.map(({ cluster }) => cluster))].filter((cluster) => cluster !== ''),
      })
    })
    .sort(
      (one, other) =>
        Number(other.severity === 'error') - Number(one.severity === 'error') ||
        other.clusters.length - one.clusters.length ||
        one.code.localeCompare(other.code),
    )
}

/** The sentences that every text begins with; empty when the first ones differ. */
export function sharedSentences(texts: readonly string[]): string {
  const [first = '', ...others] = texts
  let end = 0
  for (const { index } of first.matchAll(/[.!?](?= |$)/g)) {
    const head = first.slice(0, index + 1)
    if (others.some((text) => !text.startsWith(head) || !/^(?: |$)/.test(text.slice(head.length)))) break
    end = head.length
  }
  return first.slice(0, end)
}

export interface GroupFilter {
  /** A part of a code, a text, the name of a cluster or a server. */
  readonly words: string
  readonly severity: string
}

/** Groups with what of them fits; a group whose code or sentence fits stays whole. */
export function filterGroups(
  groups: readonly FindingGroup[],
  { words, severity }: GroupFilter,
): readonly FindingGroup[] {
  const wanted = words.trim().toLowerCase()
  const ofSeverity = severity === '' ? groups : groups.filter((group) => group.severity === severity)
  if (wanted === '') return ofSeverity
  const has = (text: string | undefined) => text?.toLowerCase().includes(wanted) === true
  return ofSeverity.flatMap((group) => {
    if (has(group.code) || has(group.sentence)) return [group]
    const findings = group.findings.filter(({ cluster, server, detail }) => has(cluster) || has(server) || has(detail))
    const clusters = group.clusters.filter((name) => findings.some(({ cluster }) => cluster === name))
    return findings.length === 0 ? [] : [{ ...group, findings, clusters }]
  })
}

/** "412 clusters", "the manager", "3 clusters and the manager". */
export function renderExtent({ clusters, findings }: Pick<FindingGroup, 'clusters' | 'findings'>): string {
  const manager = findings.some(({ cluster }) => cluster === '') ? ['the manager'] : []
  const [only] = clusters
  const named = clusters.length === 1 ? [only] : clusters.length === 0 ? [] : [`${clusters.length} clusters`]
  return [...named, ...manager].join(' and ')
}
