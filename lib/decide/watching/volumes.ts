// Which file systems a database's files are on, and how full they are.
import { type Named, textOf } from '../../model/server/named.js'
import type { FileSystem, Volume } from '../../model/server/watched.js'

/** Directories of a server with what is in them, by its variables; each once. */
export function directoriesOf(variables: Named): readonly Omit<Volume, 'fileSystem'>[] {
  const data = textOf(variables, 'datadir') ?? ''
  if (!data.startsWith('/')) return []
  const absolute = (path: string) => (path.startsWith('/') ? path : `${data}/${path}`)
  const folderOf = (name: string): string | undefined => {
    const file = textOf(variables, name) ?? ''
    return file === '' ? undefined : absolute(file).replace(/\/[^/]*$/, '')
  }
  const logs = [
    textOf(variables, 'innodb_log_group_home_dir')?.replace(/^\.\/?$/, data),
    ...['log_bin_basename', 'relay_log_basename'].map(folderOf),
  ].flatMap((path) => (path === undefined || path === '' ? [] : [absolute(path)]))
  const temporary = (textOf(variables, 'tmpdir') ?? '').split(':').filter((path) => path.startsWith('/'))
  const all = [
    { kind: 'data' as const, directory: data },
    ...logs.map((directory) => ({ kind: 'log' as const, directory })),
    ...temporary.map((directory) => ({ kind: 'temporary' as const, directory })),
  ].map(({ kind, directory }) => ({ kind, directory: directory.replace(/(?<=.)\/+$/, '') }))
  return [...new Map(all.toReversed().map((one) => [one.directory, one])).values()].reverse()
}

/** Each directory on the mounted file system with the longest path that it is below; undefined where none is listed. */
export function volumesOf(variables: Named, fileSystems: readonly FileSystem[]): readonly Volume[] {
  return directoriesOf(variables).flatMap((volume) => {
    const holding = fileSystems.filter(({ path }) => isBelow(volume.directory, path))
    const longest = Math.max(...holding.map(({ path }) => path.length))
    const fileSystem = holding.find(({ path }) => path.length === longest)
    return fileSystem ? [{ ...volume, fileSystem }] : []
  })
}

const isBelow = (directory: string, mounted: string): boolean =>
  mounted === '/' || directory === mounted || directory.startsWith(`${mounted}/`)

/** Share of what the database may use, percent: as `df` shows it. */
export function usedPercent({ usedBytes, availableBytes }: FileSystem): number {
  const all = usedBytes + availableBytes
  return all <= 0 ? 0 : Math.ceil((usedBytes / all) * 100)
}
