// What differs between the rows of a primary and of a replica, while clients go on writing. Pure.
//
// A row is read on the primary, then on the replica after it has applied what the primary had, then on the primary again. Where
// both readings of the primary agree, the row did not change meanwhile, and the replica's reading belongs to it.
import type { ChunkSum, KeyValues, RowDifference, RowDigest } from '../../model/checksum/checksum.js'

export const isSame = (a: ChunkSum, b: ChunkSum): boolean =>
  a.rows === b.rows && a.digest === b.digest && a.crc === b.crc

/** One row that differed in a round, with what both had: it is a difference if the next round finds the same. */
interface Suspect extends RowDifference {
  readonly evidence: string
}

export interface Round {
  /** By key. */
  readonly suspects: ReadonlyMap<string, Suspect>
  /** Rows that changed on the primary while they were read: they say nothing. */
  readonly moving: ReadonlyMap<string, KeyValues>
}

export interface RoundReadings {
  readonly before: readonly RowDigest[]
  readonly replica: readonly RowDigest[]
  readonly after: readonly RowDigest[]
}

export function compareRound({ before, replica, after }: RoundReadings): Round {
  const [first, own, second] = [byKey(before), byKey(replica), byKey(after)]
  const suspects = new Map<string, Suspect>()
  const moving = new Map<string, KeyValues>()
  for (const [id, { key }] of new Map([...first, ...own, ...second])) {
    const [early, here, late] = [first, own, second].map((rows) => rows.get(id)?.digests)
    if (here === early || here === late) continue
    if (early === late) suspects.set(id, { key, kind: kindOf(early, here), evidence: `${early}/${here}` })
    else moving.set(id, key)
  }
  return { suspects, moving }
}

/** The rows that both rounds found to differ in the same way, and those that are still open. */
export function confirmRounds(
  earlier: Round,
  later: Round,
): { readonly different: readonly RowDifference[]; readonly open: number } {
  const found = [...later.suspects].map(([id, suspect]) => ({
    suspect,
    isConfirmed: earlier.suspects.get(id)?.evidence === suspect.evidence,
  }))
  return {
    different: found.filter(({ isConfirmed }) => isConfirmed).map(({ suspect: { kind, key } }) => ({ kind, key })),
    open: later.moving.size + found.filter(({ isConfirmed }) => !isConfirmed).length,
  }
}

const kindOf = (primary: string | undefined, replica: string | undefined): RowDifference['kind'] =>
  replica === undefined ? 'missing' : primary === undefined ? 'extra' : 'changed'

/** Where a unique key has NULL in it, several rows share it: they are compared together. */
function byKey(rows: readonly RowDigest[]): ReadonlyMap<string, { readonly key: KeyValues; readonly digests: string }> {
  const groups = new Map<string, { readonly key: KeyValues; readonly digests: string[] }>()
  for (const { key, digest } of rows) {
    const id = JSON.stringify(key)
    const known = groups.get(id)
    if (known) known.digests.push(digest)
    else groups.set(id, { key, digests: [digest] })
  }
  return new Map([...groups].map(([id, { key, digests }]) => [id, { key, digests: digests.toSorted().join() }]))
}
