// The files of a configuration repository as values: which belong to the manager, and which differ.

import { isClusterName } from '../../settings/kit/cluster-name.js'

/** Text by path, with slashes. */
export type FileSet = ReadonlyMap<string, string>

/** What a path holds; `foreign`: not written by the manager, and left as it is. */
export type FileKind =
  | { readonly kind: 'saved'; readonly scope: string }
  | { readonly kind: 'given'; readonly scope: string }
  | { readonly kind: 'fleet' }
  | { readonly kind: 'foreign' }

/** Names of the clusters, and what files, environment and flags give the server: read when a fresh host is restored. */
export const FLEET_FILE = 'hosted.toml'

const SERVER_FILE = 'default.toml'
const GIVEN_FILE = 'immutable.toml'
const clusterFile = /^([^/]+)\/([^/]+)$/

/** The saved changes of a scope ('' is the server's). `instance`: of several that share the clusters, each has a file of its own. */
export function savedPath(scope: string, instance = ''): string {
  if (scope !== '') return `${scope}/${scope}.toml`
  return instance === '' ? SERVER_FILE : `instances/${instance}.toml`
}

/** What the configuration files give to a cluster. */
export const givenPath = (cluster: string): string => `${cluster}/${GIVEN_FILE}`

/** `instance` as in `savedPath`: the files of other instances are foreign. */
export function kindOf(path: string, instance = ''): FileKind {
  if (path === savedPath('', instance)) return { kind: 'saved', scope: '' }
  if (path === FLEET_FILE) return { kind: 'fleet' }
  const [, folder, file] = clusterFile.exec(path) ?? []
  if (folder === undefined || !isClusterName(folder)) return { kind: 'foreign' }
  if (file === `${folder}.toml`) return { kind: 'saved', scope: folder }
  return file === GIVEN_FILE ? { kind: 'given', scope: folder } : { kind: 'foreign' }
}

/** Paths whose texts differ, in the order of their names. */
export function differingPaths(left: FileSet, right: FileSet): readonly string[] {
  return [...new Set([...left.keys(), ...right.keys()])].filter((path) => left.get(path) !== right.get(path)).sort()
}

export const sameFiles = (left: FileSet, right: FileSet): boolean =>
  left.size === right.size && [...left].every(([path, text]) => right.get(path) === text)
