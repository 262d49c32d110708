// The backups of a cluster: what each is, where it is kept, whether it was proven to restore; newest first.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface ProofCheck {
  readonly name: string
  readonly passed: boolean
  readonly detail: string
}

export interface Proof {
  readonly at: number
  readonly isProven: boolean
  /** Until the restored server answered with everything replayed. */
  readonly restoreMs?: number
  readonly replayedTo?: number
  readonly checks: readonly ProofCheck[]
}

export interface Backup {
  readonly id: string
  readonly kind: string
  readonly tool: string
  readonly isIncremental: boolean
  readonly state: 'running' | 'valid' | 'failed'
  /** Host and port that were read. */
  readonly source: string
  readonly startedAt: number
  readonly tookMs?: number
  readonly places: readonly string[]
  readonly path?: string
  /** Bytes stored. */
  readonly size?: number
  readonly gtid?: string
  readonly encryption?: string
  readonly proof?: Proof
}

const kinds: Readonly<Record<number, string>> = { 1: 'logical', 2: 'physical' }

/** Of the reply of `C/backups`. */
export function readBackups(reply: unknown): readonly Backup[] {
  return listOf(wireOf<'GET /api/clusters/:cluster/backups'>(reply))
    .flatMap((entry) => readBackup(fieldsOf(entry.backup)) ?? [])
    .sort((one, other) => other.startedAt - one.startedAt)
}

function readBackup(wire: ReturnType<typeof fieldsOf>): Backup | undefined {
  const id = numberOf(wire.id)
  const startedAt = timeOf(wire.startTime)
  if (id === undefined || startedAt === undefined) return undefined
  const endedAt = timeOf(wire.endTime)
  const state = wire.completed === true ? 'valid' : endedAt === undefined ? 'running' : 'failed'
  const places = Array.isArray(wire.places) ? wire.places.map(String) : []
  return present<Backup>({
    id: String(id),
    kind: kinds[numberOf(wire.backupMethod) ?? 0] ?? 'unknown',
    tool: textOf(wire.backupTool) ?? '',
    isIncremental: wire.backupStrategy === 2,
    state,
    source: textOf(wire.source) ?? '',
    startedAt,
    tookMs: endedAt === undefined ? undefined : endedAt - startedAt,
    places: places.length > 0 ? places : [textOf(wire.place) ?? []].flat(),
    path: textOf(wire.dest),
    // What is not valid has no size that means something.
    size: state === 'valid' ? numberOf(wire.size) : undefined,
    gtid: textOf(wire.binLogUuid),
    encryption: wire.encrypted === true ? (textOf(wire.encryptionAlgo) ?? 'encrypted') : undefined,
    proof: readProof(fieldsOf(wire.proof)),
  })
}

function readProof(wire: ReturnType<typeof fieldsOf>): Proof | undefined {
  const at = timeOf(wire.at)
  if (at === undefined) return undefined
  const seconds = numberOf(wire.restoreSeconds)
  return present<Proof>({
    at,
    isProven: wire.result === 'proven',
    restoreMs: seconds === undefined ? undefined : seconds * 1_000,
    replayedTo: timeOf(wire.replayedTo),
    checks: listOf(wire.checks).map(({ name, passed, detail }) => ({
      name: textOf(name) ?? '',
      passed: passed === true,
      detail: textOf(detail) ?? '',
    })),
  })
}

function timeOf(value: unknown): number | undefined {
  const at = Date.parse(textOf(value) ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** Findings that say what the policy of backups misses. */
const policyCodes = ['WARN0101', 'WARN0111', 'WARN0112', 'WARN0190', 'WARN0400', 'WARN0401', 'WARN0402'] as const
const placeCodes = ['WARN0403', 'WARN0404'] as const

export const isOfBackups = ({ code }: { readonly code: string }): boolean =>
  [...policyCodes, ...placeCodes].some((each) => each === code)
