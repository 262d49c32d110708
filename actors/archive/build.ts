// Builds the archives of one batch inside a pool thread; templates are kept from batch to batch.
// The thread has no other work, so its file calls are synchronous: they cost a fifth of the others.
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { modeOf } from '../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import {
  emptyOverlay,
  overlayEntries,
  overlayNames,
  prepareTemplate,
  type RuleSet,
  type Template,
} from '../../lib/configure/index.js'
import { unpackArchive } from '../../lib/orchestrator/unpack.js'
import { type Cookie, cookieFile } from '../../lib/store/cluster/cookies.js'
import { type Draft, openDraft, placeDraft } from './draft.js'
import { archiveLabel, type Batch, type BatchServer, type Outcome } from './input.js'
import { deflatePiece, LABEL_BYTES, type Piece, readLabel, stitchGzip } from './stitch.js'
import { createTlsReader, readOverlays, type TlsSupply } from './supply.js'
import { tarEnding, tarRecords } from './tar.js'

export const ARCHIVE_NAME = 'config.tar.gz'

interface Prepared {
  readonly template: Template
  readonly shared: Piece
}

/** A builder for one thread: it keeps the last templates and certificates with their deflated parts. */
export function createBuilder(rules: RuleSet): (batch: Batch) => Promise<readonly Outcome[]> {
  const kept = new LRUCache<string, Prepared>({ max: 64 })
  const readTls = createTlsReader()
  const prepare = (batch: Batch): Prepared => {
    const known = kept.get(batch.key)
    if (known !== undefined) return known
    const template = prepareTemplate({ ...batch.template, rules })
    const prepared = { template, shared: deflatePiece(tarRecords(template.shared), 'compress') }
    kept.set(batch.key, prepared)
    return prepared
  }
  return async (batch) => {
    const sources = { prepare: () => prepare(batch), tlsOf: onceForEachCluster(readTls) }
    // All are written before the first is made durable: that one takes most of the others to the disk with it.
    const drafts = batch.servers.map((server) => attempt(server, () => draftOne(server, batch.force, sources)))
    const outcomes: Outcome[] = []
    for (const [index, server] of batch.servers.entries()) {
      const draft = drafts[index]
      outcomes.push(draft?.ok ? await finishOne(server, draft.value) : { failed: draft?.failure.message ?? 'no draft' })
    }
    return outcomes
  }
}

/** Drafts of a batch are created without a pause: the files of its cluster are the same for all of them. */
function onceForEachCluster(readTls: (directory: string) => TlsSupply): Sources['tlsOf'] {
  let last: { readonly directory: string; readonly supply: TlsSupply } | undefined
  return ({ certified, directory: own }) => {
    if (!certified) return undefined
    const directory = path.dirname(own)
    if (last?.directory !== directory) last = { directory, supply: readTls(directory) }
    return last.supply
  }
}

/** What most servers have in custom.d: nothing. */
const plainOverlays = deflatePiece(tarRecords(overlayEntries({})), 'compress')

interface Sources {
  readonly prepare: () => Prepared
  readonly tlsOf: (server: BatchServer) => TlsSupply | undefined
}

interface ServerDraft {
  /** Absent: the archive is as it should be. */
  readonly draft?: Draft
  /** The configuration of the server has changed. */
  readonly isChange: boolean
}

function draftOne(server: BatchServer, force: boolean, { prepare, tlsOf }: Sources): ServerDraft {
  const file = fileOf(server)
  const overlays = readOverlays(server.directory, server)
  const tls = tlsOf(server)
  const label = archiveLabel(server.label, overlays, tls?.digest)
  const before = labelOf(file)
  if (!force && before === label) return { isChange: false }
  const { template, shared } = prepare()
  const isPlain = overlayNames.every((name) => overlays[name] === emptyOverlay(name))
  const entries = [...template.own(server), ...(isPlain ? [] : overlayEntries(overlays))]
  const more = [...(tls ? [tls.piece()] : []), ...(isPlain ? [plainOverlays] : [])]
  return {
    draft: openDraft(file, stitchGzip({ first: shared, more, rest: tarEnding(entries), label })),
    // The first archive of a server is no change of its configuration, nor is the first one for its reported software.
    isChange: before !== undefined && before !== label && !server.guessed,
  }
}

async function finishOne(server: BatchServer, { draft, isChange }: ServerDraft): Promise<Outcome> {
  const { directory, tree } = server
  const placed = attempt(server, () => {
    if (draft) placeDraft(draft)
    if (isChange) raiseFlags(directory, ['config'])
  })
  if (!placed.ok) return { failed: placed.failure.message }
  const unpacked = tree ? await unpackArchive(fileOf(server), directory, { sync: true }) : undefined
  if (unpacked && !unpacked.ok) return { failed: unpacked.failure.message }
  return draft ? 'built' : 'unchanged'
}

const fileOf = ({ directory }: BatchServer): string => `${directory}${path.sep}${ARCHIVE_NAME}`

/** A fault in one server's files does not stop the others. */
function attempt<T>({ directory }: BatchServer, work: () => T): Result<T> {
  try {
    return ok(work())
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail('archive-failed', reason.includes(directory) ? reason : `${directory}: ${reason}`)
  }
}

/** The need of a service whose archive changed. */
export function raiseFlags(directory: string, flags: readonly Cookie[]): void {
  for (const flag of flags) writeFileSync(cookieFile(directory, flag), '', { mode: modeOf('mark') })
}

/** Where the beginning of one file after the other is read to. */
const start = Buffer.alloc(LABEL_BYTES)

/** The label of an archive on disk; undefined when there is none. */
export function labelOf(file: string): string | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch {
    return undefined
  }
  try {
    return readLabel(start.subarray(0, readSync(handle, start)))
  } finally {
    closeSync(handle)
  }
}
