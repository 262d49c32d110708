// A disk of its own that a spec can fill.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { newDirectory } from '../machine/directories.js'
import type { Node } from './node.js'

export interface SmallDisk {
  readonly directory: string
  /** Leaves so many bytes free. */
  fill(leave: number): void
  /** Takes away what it was filled with. */
  clear(): void
  unmount(): void
}

export interface DiskRequest {
  readonly megabytes: number
  /** An empty directory; a new one unless given. */
  readonly directory?: string
}

/** Undefined where none can be mounted. */
export function mountDisk({ megabytes, directory = newDirectory('disk') }: DiskRequest): SmallDisk | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const filler = path.join(directory, 'filler')
  return {
    directory,
    fill: (leave) => {
      const { bavail, bsize } = statfsSync(directory)
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leave)))
      } catch (error) {
        // A server that wrote meanwhile has taken some of it: full is what was wanted.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    clear: () => rmSync(filler, { force: true }),
    unmount: () => {
      execFileSync('umount', ['-l', directory])
    },
  }
}

/** Moves the data and binary logs of a server to a disk of its own; it is stopped and started for that. Throws where none can be mounted. */
export async function moveToDisk(node: Node, megabytes: number): Promise<SmallDisk> {
  const directory = path.join(node.dir, 'data')
  const before = path.join(node.dir, 'before')
  await node.stop()
  await rename(directory, before)
  mkdirSync(directory)
  const disk = mountDisk({ megabytes, directory })
  if (!disk) throw new Error('no file system can be mounted')
  await cp(before, directory, { recursive: true })
  await rm(before, { recursive: true })
  node.start()
  await node.waitUp()
  return disk
}
