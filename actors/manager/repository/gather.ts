// The configuration of this manager as files of the repository: saved changes as they are on disk, and what its files give.
import { readFile } from 'node:fs/promises'
import pLimit from 'p-limit'
import { paced } from '../../../lib/base/paced.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { type FileSet, FLEET_FILE, givenPath, kindOf, savedPath } from '../../../lib/git/content/file-set.js'
import { renderFleet, renderGiven } from '../../../lib/git/content/given.js'
import { keepSealed } from '../../../lib/git/content/keep-sealed.js'
import type { Configuration } from '../../../lib/settings/configuration/configuration.js'
import { savedFile } from '../../../lib/settings/load/saved.js'
import { errorCode, reason } from '../../../lib/settings/secret/secrets.js'

export interface Gathering {
  readonly configuration: Configuration
  /** Name of this instance where several share the clusters, else empty. */
  readonly instance: string
  /** Whether this instance says what the cluster's files are ('': those of the fleet). */
  readonly owns: (cluster: string) => boolean
  /** States whose encrypted values are kept where the secret is the same: the later ones count. */
  readonly known: readonly FileSet[]
  /** Files of clusters that other instances own are as they are here. */
  readonly remote: FileSet
}

const READERS = 16
const LONGEST_REST_MS = 20

/** Failure: `file-unreadable`. */
export async function gatherFiles(gathering: Gathering): Promise<Result<FileSet>> {
  const { configuration, instance, owns, remote } = gathering
  const datadir = configuration.server.settings['monitoring-datadir']
  const own = ['', ...[...configuration.clusters.keys()].filter(owns)]
  const limit = pLimit(READERS)
  const saved = await Promise.all(own.map((scope) => limit(() => readSaved(savedFile(datadir, scope)))))
  const unread = saved.find((each) => !each.ok)
  if (unread && !unread.ok) return unread
  const files = new Map(instance === '' ? [] : [...remote].filter(([path]) => isOfOthers(gathering, path)))
  const put = (path: string, text: string | undefined) => {
    if (text !== undefined) files.set(path, sealedAs(gathering, path, text))
  }
  own.forEach((scope, index) => {
    const text = saved[index]
    if (text?.ok) put(savedPath(scope, instance), text.value)
  })
  const gently = paced(LONGEST_REST_MS)
  for (const cluster of own.filter((scope) => scope !== '')) {
    const scope = configuration.clusters.get(cluster)
    if (scope) await gently(async () => put(givenPath(cluster), renderGiven(cluster, scope, configuration.key)))
  }
  if (owns('')) put(FLEET_FILE, renderFleet(configuration))
  return ok(files)
}

const sealedAs = ({ known, configuration: { key } }: Gathering, path: string, text: string): string =>
  known.reduce((kept, files) => keepSealed(kept, files.get(path), key), text)

function isOfOthers({ owns, instance }: Gathering, path: string): boolean {
  const kind = kindOf(path, instance)
  if (kind.kind === 'fleet') return !owns('')
  return kind.kind !== 'foreign' && kind.scope !== '' && !owns(kind.scope)
}

/** Undefined where nothing is saved. */
async function readSaved(file: string): Promise<Result<string | undefined>> {
  return readFile(file, 'utf8').then(ok, (error: unknown) =>
    errorCode(error) === 'ENOENT' ? ok(undefined) : fail('file-unreadable', `${file}: ${reason(error)}`),
  )
}
