// Whether a stored backup can fill a server: whole, of the same software, of this history, and the logs after it still exist.
import { isoTime } from '../../base/time.js'
import type { Backup, BackupKind } from '../../model/backup.js'
import { contains, type GtidSet, parseGtidSet, parsePosition, parseState } from '../../model/server/gtid.js'
import type { Flavour } from '../../model/server/version.js'
import type { BackupFacts } from '../repair/way-back.js'
import { chooseChain } from './recovery.js'

export interface CopyFacts {
  readonly kind: BackupKind
  readonly flavour: Flavour
  /** What the primary has, by origin. */
  readonly has: GtidSet
  /** What precedes the oldest binary log of the primary, as it lists that; absent: not asked yet. */
  readonly oldest?: string
  /** Binary logs are stored, so those that the primary has deleted are replayed. */
  readonly stored: boolean
}

const loadable: Readonly<Record<BackupKind, readonly string[]>> = {
  logical: ['mysqldump', 'mydumper'],
  physical: ['mariabackup', 'xtrabackup'],
}

/** The newest that fits, oldest part first; a text: why there is none. */
export function chooseCopy(backups: readonly Backup[], facts: CopyFacts): readonly Backup[] | string {
  const { kind, flavour, has } = facts
  const fitting = backups.filter(
    (each) =>
      each.kind === kind && each.state === 'valid' && loadable[kind].includes(each.tool) && each.flavour === flavour,
  )
  const known = fitting.filter(({ position }) => position !== undefined && position.gtid !== '')
  const ours = known.filter(({ position }) => contains(has, byOrigin(position?.gtid ?? '', flavour)))
  const newest = ours.at(-1)
  if (!newest)
    return known.length > 0
      ? `the ${kind} backups have transactions that the primary is missing`
      : `there is no valid ${kind} backup with a position`
  const chain = chooseChain(backups, { backup: newest.id })
  return chain.ok ? chain.value : chain.failure.message
}

const byOrigin = (position: string, flavour: Flavour): GtidSet =>
  flavour === 'mariadb' ? parseState(position) : parseGtidSet(position)

const byPosition = (text: string, flavour: Flavour): GtidSet =>
  flavour === 'mariadb' ? parsePosition(text) : parseGtidSet(text)

/** The primary still has the binary logs that follow it. */
export function isFollowed({ position }: Backup, { oldest, flavour }: CopyFacts): boolean {
  return oldest === undefined || contains(byPosition(position?.gtid ?? '', flavour), byPosition(oldest, flavour))
}

/** What a judgement reads of it. */
export function describeCopy(chain: readonly Backup[] | string, facts: CopyFacts): BackupFacts | string {
  if (typeof chain === 'string') return chain
  const newest = chain.at(-1)
  if (!newest) return 'there is no backup'
  const { id, endedAt, startedAt, proof } = newest
  const position = newest.position?.gtid ?? ''
  const isReachable = isFollowed(newest, facts)
  const replays = facts.kind === 'physical' && facts.stored
  return {
    text: `backup ${id} of ${isoTime(endedAt ?? startedAt)} at ${position}`,
    bytes: chain.reduce((sum, { size }) => sum + size, 0),
    rawBytes: chain.reduce((sum, { rawSize }) => sum + rawSize, 0),
    ...(proof?.result === 'proven' ? { provenMs: proof.restoreMs } : {}),
    ...(proof?.result === 'refuted' ? { unfit: `backup ${id} is refuted` } : {}),
    ...(isReachable || replays ? {} : { unfit: `the primary has deleted binary logs that follow backup ${id}` }),
  }
}
