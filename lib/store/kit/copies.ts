// Copies elsewhere of files that this thread writes: who keeps them registers for a directory.
import path from 'node:path'
import { done, type Result } from '../../base/result.js'

/** Keeps a copy of a file of the directory, or leaves it where it keeps none of that name; undefined: the file is gone. */
export type KeepCopy = (name: string, bytes: string | Uint8Array | undefined) => Promise<Result<void>>

const keepers = new Map<string, KeepCopy>()

/** From now on until the returned function is called. */
export function keepCopies(directory: string, keep: KeepCopy): () => void {
  const place = path.resolve(directory)
  keepers.set(place, keep)
  return () => {
    if (keepers.get(place) === keep) keepers.delete(place)
  }
}

/** Whether somewhere else copies of files of this directory are kept. */
export const isCopied = (directory: string): boolean => keepers.size > 0 && keepers.has(path.resolve(directory))

/** Resolves when the copy is kept, where one is. */
export function copyElsewhere(file: string, bytes: string | Uint8Array): Promise<Result<void>> {
  return copyBelow(path.dirname(file), path.basename(file), bytes)
}

/** The same for a file in a folder of the directory; `name` is its path from there, with slashes. */
export function copyBelow(
  directory: string,
  name: string,
  bytes: string | Uint8Array | undefined,
): Promise<Result<void>> {
  if (keepers.size === 0) return Promise.resolve(done)
  const keep = keepers.get(path.resolve(directory))
  return keep ? keep(name, bytes) : Promise.resolve(done)
}
