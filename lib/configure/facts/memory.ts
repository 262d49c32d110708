// Splits the memory of a server between the engines and the connections: every figure with the reason for it.
import type { Resources, Shares } from './resources.js'

export interface Figure {
  /** Size in KB; a whole number of MB except for the three sizes that each connection has. */
  readonly kb: number
  /** Its derivation, one clause, for the comment at the option. */
  readonly why: string
}

export type FigureName =
  | 'innodbBufferPool'
  | 'innodbLogBuffer'
  | 'myisamKeys'
  | 'ariaPages'
  | 'queryCache'
  | 'rocksdb'
  | 'tokudb'
  | 's3'
  | 'tmpTable'
  | 'joinBuffer'
  | 'sortBuffer'

export interface MemoryPlan {
  /** Memory without the part reserved for the server itself, MB. */
  readonly usableMb: number
  /** Connections assumed to be active at the same time. */
  readonly workingConnections: number
  readonly figures: Readonly<Record<FigureName, Figure>>
  /** All engines and all working connections together, KB: never more than the memory. */
  readonly sumKb: number
}

/** The split for `resources`; no size is zero except caches that may be off, and the sum fits the memory. */
export function solveMemory(resources: Resources): MemoryPlan {
  const { memoryMb } = resources
  const reserveMb = Math.min(MOST_RESERVE_MB, Math.ceil(memoryMb / 4))
  const usableMb = memoryMb - reserveMb
  const shares = normalise(resources.sharedPct)
  const part = (name: string) => Math.floor((usableMb * (shares[name] ?? 0)) / 100)
  const whyOf = (name: string) =>
    `${name} ${round(shares[name] ?? 0)} % of ${usableMb} MB (${memoryMb} less ${reserveMb})`
  const engine = (name: string, leastMb: number): Figure => {
    const mb = Math.max(leastMb, part(name))
    return { kb: mb * KB, why: mb > part(name) ? `${whyOf(name)}, raised to the least of ${leastMb} MB` : whyOf(name) }
  }

  const threads = splitThreads(resources, part('threads') * KB, whyOf('threads'))
  const figures = {
    ...splitInnodb(engine('innodb', LEAST_INNODB_MB)),
    myisamKeys: engine('myisam', 1),
    ariaPages: engine('aria', 1),
    queryCache: engine('querycache', 0),
    rocksdb: engine('rocksdb', 1),
    tokudb: engine('tokudb', 1),
    s3: engine('s3', 1),
    ...threads.figures,
  }
  const sumKb = Object.entries(figures).reduce(
    (sum, [name, { kb }]) => sum + (name in threads.figures ? kb * threads.workingConnections : kb),
    0,
  )
  return { usableMb, workingConnections: threads.workingConnections, figures, sumKb }
}

const KB = 1024
const MOST_RESERVE_MB = 2048
/** InnoDB refuses a buffer pool below 5 MB; 6 leave room for the log buffer of 1. */
const LEAST_INNODB_MB = 7

/** The log buffer is part of InnoDB's share, so that the pool never exceeds it. */
function splitInnodb({ kb, why }: Figure): Pick<Record<FigureName, Figure>, 'innodbBufferPool' | 'innodbLogBuffer'> {
  const logMb = Math.min(16, Math.max(1, Math.floor(kb / KB / 16)))
  const poolMb = kb / KB - logMb
  const chunkMb = poolChunkMb(poolMb)
  const roundedMb = poolMb - (poolMb % chunkMb)
  return {
    innodbBufferPool: { kb: roundedMb * KB, why: `${why}, less the log buffer, in chunks of ${chunkMb} MB` },
    innodbLogBuffer: { kb: logMb * KB, why: 'a sixteenth of the share of innodb, 1 to 16 MB' },
  }
}

/** The chunk size of the pool: a power of two up to 128 MB, small enough that rounding costs at most an eighth. */
export const poolChunkMb = (poolMb: number): number =>
  Math.min(128, 2 ** Math.floor(Math.log2(Math.max(8, poolMb) / 8)))

/** Per connection: name, share, least and most size in KB. */
const perConnection = [
  ['tmpTable', 'tmp', 64, 256 * KB],
  ['joinBuffer', 'join', 16, 16 * KB],
  ['sortBuffer', 'sort', 32, 4 * KB],
] as const

const LEAST_CONNECTION_KB = perConnection.reduce((sum, [, , least]) => sum + least, 0)

interface ThreadSplit {
  readonly workingConnections: number
  readonly figures: Pick<Record<FigureName, Figure>, (typeof perConnection)[number][0]>
}

/** Sizes that each connection may use, for the number of connections active at once on the cores. */
function splitThreads(resources: Resources, shareKb: number, why: string): ThreadSplit {
  const wanted = Math.min(resources.maxConnections, 16 + 8 * resources.cores)
  const workingConnections = Math.max(1, Math.min(wanted, Math.floor(shareKb / LEAST_CONNECTION_KB)))
  const spareKb = Math.max(0, Math.floor(shareKb / workingConnections) - LEAST_CONNECTION_KB)
  const shares = normalise(resources.threadedPct)
  const size = ([, name, least, most]: (typeof perConnection)[number]): Figure => ({
    kb: Math.min(most, least + Math.floor((spareKb * (shares[name] ?? 0)) / 100)),
    why: `${name} ${round(shares[name] ?? 0)} % for each of ${workingConnections} working connections of ${why}`,
  })
  const [tmpTable, joinBuffer, sortBuffer] = perConnection
  return {
    workingConnections,
    figures: { tmpTable: size(tmpTable), joinBuffer: size(joinBuffer), sortBuffer: size(sortBuffer) },
  }
}

/** Shares with a sum above 100 are scaled down to 100. */
function normalise(shares: Shares): Shares {
  const sum = Object.values(shares).reduce((total, each) => total + each, 0)
  if (sum <= 100) return shares
  return Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, (share * 100) / sum]))
}

const round = (share: number): number => Math.round(share * 10) / 10
