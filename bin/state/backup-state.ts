// `manager backup-state FILE`: settings, saved state, journals, tokens and keys in one archive, while the manager runs.
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { create } from 'tar'
import { ensureKeys } from '../../lib/backup/stream/keys.js'
import { createEncryption } from '../../lib/backup/stream/stage/age.js'
import { counted } from '../../lib/base/counted.js'
import { modeOf, permissionsOf } from '../../lib/base/files/modes.js'
import { packageVersion } from '../../lib/base/package-root.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { isoTime, now } from '../../lib/base/time.js'
import type { Configuration } from '../../lib/settings/index.js'
import { readFormat } from '../../lib/store/index.js'
import { codeOf, reasonOf } from '../../lib/store/kit/atomic-write.js'
import { copyState } from './collect.js'
import { type ArchivedFile, digestOf, LAYOUT, MANIFEST, type Manifest } from './manifest.js'

export interface BackupWish {
  readonly file: string
  /** File of age identities that encrypts, created when missing; without one neither the key nor the archive is protected beyond its mode. */
  readonly keys?: string
}

/** Answers what to print. */
export async function backupState(configuration: Configuration, { file, keys }: BackupWish): Promise<Result<string>> {
  const recipient = keys === undefined ? ok(undefined) : await ensureKeys(keys, now())
  if (!recipient.ok) return recipient
  const parent = path.dirname(path.resolve(file))
  const work = await mkdtemp(path.join(parent, '.backup-state-')).catch(reasonOf)
  if (!path.isAbsolute(work)) return fail('file-unwritable', `${parent}: ${work}`)
  try {
    const manifest = await gather(configuration, work, recipient.value !== undefined)
    if (!manifest.ok) return manifest
    const draft = path.join(work, 'archive')
    const encryption = recipient.value === undefined ? [] : [await createEncryption([recipient.value])]
    await pack(work, manifest.value, encryption)
    await chmod(draft, modeOf('archive'))
    await rename(draft, file)
    const { size } = await stat(file)
    const what = `${counted(manifest.value.files.length, 'file')}, ${size} bytes, format ${manifest.value.format}`
    const hasKey = await exists(path.resolve(configuration.server.settings['monitoring-key-path']))
    return ok(`${file}: ${what}\n${protection(configuration, { hasKey, ...(keys === undefined ? {} : { keys }) })}`)
  } catch (error) {
    return fail('file-unwritable', `${file}: ${reasonOf(error)}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** What protects the archive, and which key is to be kept elsewhere, if there is one. */
function protection(
  { server }: Configuration,
  { keys, hasKey }: { readonly keys?: string; readonly hasKey: boolean },
): string {
  const keyFile = server.settings['monitoring-key-path']
  const none = `there is no key of secrets (${keyFile})`
  if (keys === undefined)
    return hasKey
      ? `It is not encrypted, and the key ${keyFile} is not in it: keep that key elsewhere.`
      : `It is not encrypted, and ${none}.`
  return `It is encrypted and ${hasKey ? 'contains the key of secrets' : none}; ${keys} decrypts it: keep that file elsewhere.`
}

async function gather(configuration: Configuration, work: string, withKey: boolean): Promise<Result<Manifest>> {
  const { settings } = configuration.server
  const directory = path.resolve(settings['monitoring-datadir'])
  const format = await readFormat(directory)
  if (!format.ok) return format
  const copied = await copyState(directory, path.join(work, 'state'))
  if (!copied.ok) return copied
  const keyFile = path.resolve(settings['monitoring-key-path'])
  const outside = [
    ...(await configurationFiles(configuration)),
    ...(withKey && (await exists(keyFile)) ? [keyFile] : []),
  ]
  await mkdir(path.join(work, 'outside'), { mode: modeOf('scratch') })
  for (const [index, each] of outside.entries()) await copyFile(each, path.join(work, 'outside', String(index)))
  const files = await Promise.all([
    ...copied.value.map((name) => describe(work, `state/${name}`)),
    ...outside.map((each, index) => describe(work, `outside/${index}`, each)),
  ])
  return ok({
    ...{ kind: 'manager-state', layout: LAYOUT, format: format.value?.format ?? 0, version: packageVersion },
    ...{ madeAt: isoTime(now()), host: os.hostname(), directory, files },
  })
}

async function describe(work: string, name: string, outside?: string): Promise<ArchivedFile> {
  const file = path.join(work, name)
  const { mode } = await stat(file)
  return {
    name,
    sha256: await digestOf(file),
    mode: permissionsOf(mode),
    ...(outside === undefined ? {} : { path: outside }),
  }
}

/** The main file and those of its include directories. */
async function configurationFiles({ file, server }: Configuration): Promise<readonly string[]> {
  if (file === undefined) return []
  const main = path.resolve(file)
  const folders = [server.settings.include, server.settings['monitoring-confdir-extra']]
    .filter((folder) => folder !== '')
    .map((folder) => path.resolve(path.dirname(main), folder))
  const included = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch((): string[] => [])
      return names
        .filter((name) => name.endsWith('.toml'))
        .sort()
        .map((name) => path.join(folder, name))
    }),
  )
  return [...new Set([main, ...included.flat()])]
}

/** To the file `archive` of the folder, the manifest first. */
async function pack(work: string, manifest: Manifest, encryption: readonly Transform[]): Promise<void> {
  await writeFile(path.join(work, MANIFEST), `${JSON.stringify(manifest, null, 1)}\n`, { mode: modeOf('archive') })
  const members = [MANIFEST, ...manifest.files.map(({ name }) => name)]
  const tarball = path.join(work, 'tarball')
  await create({ cwd: work, file: tarball, portable: true, noDirRecurse: true }, members)
  const archive = createWriteStream(path.join(work, 'archive'), { mode: modeOf('archive'), flush: true })
  await pipeline([createReadStream(tarball), createGzip(), ...encryption, archive])
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  )
