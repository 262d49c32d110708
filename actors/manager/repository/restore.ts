// The configuration of a fresh host out of its repository, before anything of the manager runs: once for a working directory.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now } from '../../../lib/base/time.js'
import { REMOTE_REF, Repository } from '../../../lib/git/client/repository.js'
import { restoreFiles } from '../../../lib/git/content/restored.js'
import type { Configuration } from '../../../lib/settings/configuration/configuration.js'
import { isClusterName } from '../../../lib/settings/kit/cluster-name.js'
import { savedFile, setAsideSaved } from '../../../lib/settings/load/saved.js'
import { findSetting } from '../../../lib/settings/table/index.js'
import { atomicWrite, makeDirectory } from '../../../lib/store/index.js'
import { baseRefOf, REPOSITORY_FOLDER, remoteOf } from './places.js'

/** Says that it was restored, from where and when: it is not done again. */
const MARKER = 'restored.json'

export interface RestoredConfiguration {
  readonly commit: string
  readonly clusters: number
  /** Settings of the former host that only a configuration file may give. */
  readonly left: readonly string[]
}

/**
 * Undefined where the settings do not ask for it, or it was done. Killed in the middle it is done again: the marker comes last.
 * Failures: those of the repository, `bad-secret` without the key of the former host, `file-unwritable`, `unsupported`.
 */
export async function restoreConfiguration(
  configuration: Configuration,
): Promise<Result<RestoredConfiguration | undefined>> {
  const { settings } = configuration.server
  const directory = settings['monitoring-datadir']
  if (!settings['monitoring-restore-config-on-start'] || (await textOf(path.join(directory, MARKER))) !== undefined)
    return ok(undefined)
  const remote = remoteOf(settings)
  if (!remote) return fail('bad-configuration', 'monitoring-restore-config-on-start needs git-url')
  if (settings['cluster-store'] !== 'files' || settings['arbitration-external'])
    return fail(
      'unsupported',
      'monitoring-restore-config-on-start: several instances share the clusters: their files declare them',
    )
  const repository = new Repository(path.join(directory, REPOSITORY_FOLDER), new AbortController().signal)
  const opened = await repository.open()
  if (!opened.ok) return opened
  const head = await repository.remoteHead(remote)
  if (!head.ok) return head
  if (head.value === undefined) return fail('wrong-state', `${remote.url} has no commit: there is nothing to restore`)
  const fetched = await repository.fetch(remote)
  if (!fetched.ok) return fetched
  const commit = (await repository.head(REMOTE_REF)) ?? head.value
  const files = await repository.read(commit, '')
  if (!files.ok) return files
  const restored = restoreFiles({
    ...{ files: files.value, declared: new Set(configuration.clusters.keys()), key: configuration.key },
    isGiven: (name) => {
      const setting = findSetting(name)
      return setting !== undefined && configuration.server.given.has(setting)
    },
  })
  if (!restored.ok) return restored
  const { saved, left } = restored.value
  const written = await replaceSaved(settings, saved)
  if (!written.ok) return written
  const pointed = await repository.point(baseRefOf(remote.url), commit)
  if (!pointed.ok) return pointed
  const marker = `${JSON.stringify({ url: remote.url, commit, at: isoTime(now()) })}\n`
  const marked = await atomicWrite(path.join(directory, MARKER), marker)
  return marked.ok ? ok({ commit, clusters: [...saved.keys()].filter((scope) => scope !== '').length, left }) : marked
}

/** What was there is copied to `monitoring-confdir-backup` first, and kept beside as `.old` or `.removed`. */
async function replaceSaved(
  settings: Configuration['server']['settings'],
  saved: ReadonlyMap<string, string>,
): Promise<Result<void>> {
  const directory = settings['monitoring-datadir']
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory() && isClusterName(entry.name))
  const former = ['', ...folders.map(({ name }) => name)]
  const kept = await copyFormer(settings, former)
  if (!kept.ok) return kept
  for (const [scope, text] of saved) {
    const file = savedFile(directory, scope)
    await makeDirectory(path.dirname(file))
    const written = await atomicWrite(file, text, { keepPrevious: true })
    if (!written.ok) return written
  }
  for (const scope of former.filter((name) => !saved.has(name))) {
    const aside = await setAsideSaved(directory, scope)
    if (!aside.ok) return aside
  }
  return done
}

async function copyFormer(
  settings: Configuration['server']['settings'],
  scopes: readonly string[],
): Promise<Result<void>> {
  const folder = settings['monitoring-confdir-backup']
  if (folder === '') return done
  const directory = settings['monitoring-datadir']
  const place = path.join(folder, isoTime(now()).replaceAll(':', '-'))
  for (const scope of scopes) {
    const text = await textOf(savedFile(directory, scope))
    if (text === undefined) continue
    const file = path.join(place, path.relative(directory, savedFile(directory, scope)))
    const copied = await makeDirectory(path.dirname(file)).then(
      () => atomicWrite(file, text),
      (error: Error) => fail('file-unwritable', `monitoring-confdir-backup ${place}: ${error.message}`),
    )
    if (!copied.ok) return copied
  }
  return done
}

const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)
