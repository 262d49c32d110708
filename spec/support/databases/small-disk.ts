// A disk of its own that a spec can fill.
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newDirectory } from '../machine/directories.js'

export interface SmallDisk {
  readonly directory: string
  /** Leaves so many bytes free. */
  fill(leave: number): void
  /** Takes away what it was filled with. */
  clear(): void
  unmount(): void
}

/** Undefined where none can be mounted. */
export function mountDisk({ megabytes }: { readonly megabytes: number }): SmallDisk | undefined {
  const directory = newDirectory('disk')
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
