// What a server's folder and its cluster's folder add to the generated files: overlays and certificates. For pool
// threads, which have nothing else to do: its reads are synchronous, since they cost a fifth of the others.
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { LRUCache } from 'lru-cache'
import {
  checkOverlay,
  emptyOverlay,
  mergePreserved,
  type OverlayName,
  type Overlays,
  overlayFile,
  overlayNames,
  PRESERVED_BY_CLUSTER,
  type ServerInput,
  tlsEntries,
} from '../../lib/configure/index.js'
import { codeOf } from '../../lib/store/atomic-write.js'
import { materialFiles } from '../../lib/tls/index.js'
import { deflatePiece, type Piece } from './stitch.js'
import { tarRecords } from './tar.js'

/** The overlays of a server as they are on disk; a file that is missing is made, so that people find where to write. */
export function readOverlays(directory: string, { server }: Pick<ServerInput, 'server'>): Overlays {
  const texts = overlayNames.map((name) => [name, readOverlay(directory, name)] as const)
  const byCluster = readPreserved(directory)
  return Object.fromEntries(
    texts.map(([name, text]) => [
      name,
      name === '01_preserved' && byCluster !== '' ? mergePreserved(byCluster, text, server) : text,
    ]),
  )
}

function readOverlay(directory: string, name: OverlayName): string {
  const file = path.join(directory, overlayFile(name))
  return readSound(file, () => writeFileSync(file, emptyOverlay(name), { flag: 'wx', mode: 0o644 }))
}

/** One file for the whole cluster, which every server's folder links to. */
function readPreserved(directory: string): string {
  const link = path.join(directory, PRESERVED_BY_CLUSTER)
  return readSound(link, () => {
    const file = path.join(path.dirname(directory), PRESERVED_BY_CLUSTER)
    createOnce(() => writeFileSync(file, preservedHead, { flag: 'wx', mode: 0o644 }))
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

/** The text of a file, made first where it is missing; throws what is wrong with it, the file named. */
function readSound(file: string, make: () => void): string {
  const text = readOrMake(file, make)
  const fault = checkOverlay(text)
  if (fault !== undefined) throw new Error(`${file}: ${fault}`)
  return text
}

function readOrMake(file: string, make: () => void): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 })
  createOnce(make)
  return readFileSync(file, 'utf8')
}

/** What somebody else has made meanwhile is as good. */
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

/** Reads `{cluster}/ssl`, which leads to a folder named after its content; a thread keeps what it has packed. */
export function createTlsReader(): (clusterDirectory: string) => TlsSupply {
  const kept = new LRUCache<string, Piece>({ max: 64 })
  return (clusterDirectory) => {
    const name = readlinkSync(path.join(clusterDirectory, 'ssl'))
    const generation = path.resolve(clusterDirectory, name)
    const piece = (): Piece => {
      const known = kept.get(generation)
      if (known !== undefined) return known
      const texts = delivered.map((file) => [file, readFileSync(path.join(generation, file), 'utf8')] as const)
      const packed = deflatePiece(tarRecords(tlsEntries(Object.fromEntries(texts))), 'seldom')
      kept.set(generation, packed)
      return packed
    }
    return { digest: name, piece }
  }
}
