// package-lock.json: the packages of a release and what each depends on, as npm resolved them.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { packageRoot } from '../../lib/base/package-root.js'

/** An installed package, as the lock file describes it. */
export interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly resolved?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** By the folder of each, below the checkout: `node_modules/koa`. */
export type LockFile = Readonly<Record<string, LockedPackage>>

export async function readLockFile(): Promise<LockFile> {
  const text = await readFile(path.join(packageRoot, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { readonly packages: LockFile }
  return packages
}

/** The name of a package by its folder. */
export const nameAt = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 13)

/** The folder that `require(name)` finds from another package's folder: the nearest one above. */
export function resolveFrom(lock: LockFile, folder: string, name: string): string {
  const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
  if (lock[candidate]) return candidate
  if (folder === '') throw new Error(`package-lock.json has no ${name}`)
  const above = folder.lastIndexOf('/node_modules/')
  return resolveFrom(lock, above < 0 ? '' : folder.slice(0, above), name)
}

/** The folders of these packages and of all that they need, sorted. Optional dependencies are native code and stay out. */
export function closureOf(lock: LockFile, names: readonly string[]): readonly string[] {
  const reached = new Set<string>()
  const visit = (folder: string): void => {
    if (reached.has(folder)) return
    reached.add(folder)
    for (const name of Object.keys(lock[folder]?.dependencies ?? {})) visit(resolveFrom(lock, folder, name))
  }
  for (const name of names) visit(resolveFrom(lock, '', name))
  return [...reached].sort()
}
