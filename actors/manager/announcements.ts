// Findings of the manager itself: which there are, and which of them each cluster shows among its own.
import type { Finding } from '../../lib/model/finding.js'

/** The findings of one part for one cluster. */
export type ClusterFindings = (cluster: string) => readonly Finding[]

export interface AnnouncementParts {
  readonly clusters: () => Iterable<string>
  /** Sends the findings to the cluster's actor; unchanged ones cost nothing. */
  readonly announce: (cluster: string, findings: readonly Finding[]) => void
  /** Parts that have findings of single clusters, in the order in which they are shown. */
  readonly sources: readonly ClusterFindings[]
}

/** Findings of the manager that every cluster shows. */
const shared: ReadonlySet<string> = new Set(['WARN0108', 'WARN0240'])

export class Announcements {
  readonly #parts: AnnouncementParts
  readonly #own: (() => readonly Finding[])[] = []

  constructor(parts: AnnouncementParts) {
    this.#parts = parts
  }

  /** Adds a part of the manager that has findings of no single cluster. */
  include(findings: () => readonly Finding[]): void {
    this.#own.push(findings)
  }

  /** Findings that concern the manager as a whole. */
  own(): readonly Finding[] {
    return this.#own.flatMap((findings) => findings())
  }

  /** Gives these clusters, by default all, the findings of the manager that concern them. */
  publish(names: Iterable<string> = this.#parts.clusters()): void {
    const all = this.own().filter(({ code }) => shared.has(code))
    for (const name of names) {
      this.#parts.announce(name, [...all, ...this.#parts.sources.flatMap((findings) => findings(name))])
    }
  }
}
