// What a server's folder and its cluster's folder add to the generated files: overlays and certificates. For pool
// threads, which have no other work: its reads are synchronous, since they cost a fifth of the others.
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import { modeOf } from '../../lib/base/files/modes.js'
import {
  checkOverlay,
  emptyOverlay,
  mergePreserved,
  type OverlayName,
  type Overlays,
  overlayFile,
  PRESERVED_BY_CLUSTER,
  type ServerInput,
  tlsEntries,
  withoutPositions,
} from '../../lib/configure/index.js'
import { codeOf } from '../../lib/store/kit/atomic-write.js'
import { materialFiles } from '../../lib/tls/index.js'
import { deflatePiece, type Piece } from './stitch.js'
import { tarRecords } from './tar.js'

/**
 * The overlays of a server on disk, without positions of replication; a missing file is created, so that users find where to
 * write.
 */
export function readOverlays(directory: string, { server }: Pick<ServerInput, 'server'>): Overlays {
  const own = readOverlay(directory, '01_preserved')
  const byCluster = readPreserved(directory)
  return {
    '01_preserved': withoutPositions(byCluster === preservedHead ? own : mergePreserved(byCluster, own, server)),
    '02_delta': withoutPositions(readOverlay(directory, '02_delta')),
    '03_agreed': withoutPositions(readOverlay(directory, '03_agreed')),
  }
}

function readOverlay(directory: string, name: OverlayName): string {
  const empty = emptyOverlay(name)
  return readSound(`${directory}${path.sep}${overlayFile(name)}`, empty, (file) =>
    writeFileSync(file, empty, { flag: 'wx', mode: modeOf('generated') }),
  )
}

/** One file for the whole cluster, linked from every server's folder. */
function readPreserved(directory: string): string {
  return readSound(`${directory}${path.sep}${PRESERVED_BY_CLUSTER}`, preservedHead, (link) => {
    const file = path.join(path.dirname(directory), PRESERVED_BY_CLUSTER)
    createOnce(() => writeFileSync(file, preservedHead, { flag: 'wx', mode: modeOf('generated') }))
    createOnce(() => symlinkSync(path.join('..', PRESERVED_BY_CLUSTER), link))
  })
}

const preservedHead = [
  '# Variables that stay as they are here on all servers of the cluster, whatever their tags say.',
  '# Written as in my.cnf: [mysqld], then name = value. A line that reads',
  '#   # name.exclude = id,id',
  '# takes a variable back for some servers.',
  '',
].join('\n')

/** The text of a file, created first where it is missing; throws the fault with the file name. */
function readSound(file: string, usual: string, make: (file: string) => void): string {
  const text = readOrMake(file, make)
  const fault = text === usual ? undefined : checkOverlay(text)
  if (fault !== undefined) throw new Error(`${file}: ${fault}`)
  return text
}

function readOrMake(file: string, make: (file: string) => void): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: modeOf('shared') })
  createOnce(() => make(file))
  return readFileSync(file, 'utf8')
}

/** A file that another thread has created meanwhile is as good. */
function createOnce(make: () => void): void {
  try {
    make()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** A cluster's certificates, packed once for all its servers. */
export interface TlsSupply {
  /** Changes with their texts. */
  readonly digest: string
  readonly piece: () => Piece
}

const delivered = [
  ...[materialFiles.ca, materialFiles.serverCert, materialFiles.serverKey],
  ...[materialFiles.clientCert, materialFiles.clientKey],
] as const

/** Reads `{cluster}/ssl`, which links to a folder named after its content; a thread caches what it has packed. */
export function createTlsReader(): (clusterDirectory: string) => TlsSupply {
  const kept = new LRUCache<string, Piece>({ max: 64 })
  return (clusterDirectory) => {
    const name = readlinkSync(path.join(clusterDirectory, 'ssl'))
    const generation = path.resolve(clusterDirectory, name)
    const piece = (): Piece => {
      const known = kept.get(generation)
      if (known !== undefined) return known
      const texts = delivered.map((file) => [file, readFileSync(path.join(generation, file), 'utf8')] as const)
      const packed = deflatePiece(tarRecords(tlsEntries(Object.fromEntries(texts))), 'store')
      kept.set(generation, packed)
      return packed
    }
    return { digest: name, piece }
  }
}
