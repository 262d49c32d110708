// Disks of servers that can be made slow or full.
import type { Node } from '../support/databases/node.js'
import { type SlowDisk, slowDisks } from '../support/databases/slow-disk.js'
import { moveToDisk, type SmallDisk } from '../support/databases/small-disk.js'

/** Data, binary logs and what an episode writes have room. */
const DISK_MIB = 256

/** Makes the disk of one server slow or full, and gives it back. */
export interface Disk {
  begin(ms: number): void
  end(): void
}

/** Each server's disk delays what it syncs: for how many milliseconds is said later. Throws where there is no compiler. */
export function delayedDisks(count: number): readonly (Disk & Pick<SlowDisk, 'prefix'>)[] {
  const disks = slowDisks(count)
  if (!disks) throw new Error('there is no C compiler')
  return disks.map((disk) => ({ prefix: disk.prefix, begin: (ms) => disk.set(ms), end: () => disk.set(0) }))
}

/** Data and binary logs of each server get a disk of their own. `release` takes all of them away. */
export async function fillableDisks(nodes: readonly Node[]) {
  const disks: SmallDisk[] = []
  const release = () => {
    for (const disk of disks.splice(0)) disk.unmount()
  }
  process.once('exit', release)
  for (const node of nodes) disks.push(await moveToDisk(node, DISK_MIB))
  return { disks: disks.map((disk): Disk => ({ begin: () => disk.fill(0), end: () => disk.clear() })), release }
}
