// `manager restore-state FILE`: puts an archived state in place of the one of the working directory, which is kept beside it.
import { createReadStream } from 'node:fs'
import { chmod, chown, copyFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar'
import { readKeys } from '../../lib/backup/stream/keys.js'
import { createDecryption } from '../../lib/backup/stream/stage/age.js'
import { counted } from '../../lib/base/counted.js'
import { modeOf } from '../../lib/base/files/modes.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { isoTime, now } from '../../lib/base/time.js'
import {
  currentFormat,
  isOccupied,
  makeDirectory,
  moveFormat,
  newerText,
  RESTORING,
  SOCKET,
} from '../../lib/store/index.js'
import { codeOf, reasonOf, syncDirectory } from '../../lib/store/kit/atomic-write.js'
import { digestOf, MANIFEST, type Manifest, parseManifest } from './manifest.js'

export interface RestoreWish {
  readonly file: string
  /** File of age identities that decrypts. */
  readonly keys?: string
  /** The working directory; that of the archive when absent. */
  readonly directory?: string
}

/** Answers what to print. Everything is unpacked and verified before anything is moved. */
export async function restoreState({ file, keys, directory }: RestoreWish): Promise<Result<string>> {
  try {
    const manifest = await readManifest(file, keys)
    if (!manifest.ok) return manifest
    const { format, version } = manifest.value
    if (format > currentFormat) return fail('file-unreadable', newerText(file, { format, version }, currentFormat))
    const target = path.resolve(directory ?? manifest.value.directory)
    await makeDirectory(target)
    if (await isOccupied(target)) return fail('wrong-state', `a manager runs on ${target}: stop it first`)
    return await putInPlace(target, manifest.value, { file, ...(keys === undefined ? {} : { keys }) })
  } catch (error) {
    return fail('file-unreadable', `${file}: ${reasonOf(error)}`)
  }
}

async function putInPlace(target: string, manifest: Manifest, source: RestoreWish): Promise<Result<string>> {
  const staged = path.join(target, RESTORING)
  await rm(staged, { recursive: true, force: true })
  await mkdir(staged, { mode: modeOf('scratch') })
  const unpacked = await unpack(source, staged)
  const wrong = unpacked.ok ? await verify(staged, manifest) : unpacked
  if (!wrong.ok) {
    await rm(staged, { recursive: true, force: true })
    return wrong
  }
  const state = path.join(staged, 'state')
  await mkdir(state, { recursive: true, mode: modeOf('scratch') })
  const moved = await moveFormat(state, currentFormat)
  if (!moved.ok) return moved
  const outside = await restoreOutside(staged, manifest)
  await giveToOwner(target, staged)
  const kept = await replace(target, state)
  await rm(staged, { recursive: true, force: true })
  await syncDirectory(target)
  return ok(
    [
      `${target}: the state of ${manifest.host} of ${manifest.madeAt}, ${counted(manifest.files.length, 'file')}, format ${currentFormat}`,
      ...(kept === undefined ? [] : [`the former state is in ${kept}`]),
      ...outside,
    ].join('\n'),
  )
}

/** The former files go aside, backups stay where they are: an archive of the state has none. */
async function replace(target: string, state: string): Promise<string | undefined> {
  const former = (await readdir(target)).filter(
    (name) => ![RESTORING, SOCKET, 'backups'].includes(name) && !name.startsWith('.replaced-'),
  )
  const aside = path.join(target, `.replaced-${isoTime(now()).replace(/\W/g, '').slice(0, 15)}`)
  if (former.length > 0) await mkdir(aside, { recursive: true, mode: modeOf('scratch') })
  for (const name of former) await rename(path.join(target, name), path.join(aside, name))
  for (const name of await readdir(state)) await rename(path.join(state, name), path.join(target, name))
  return former.length > 0 ? aside : undefined
}

/** Configuration and key: written where there is none; beside one that differs. Answers a line each. */
async function restoreOutside(staged: string, { files }: Manifest): Promise<readonly string[]> {
  const lines: string[] = []
  for (const { name, path: place, mode, sha256 } of files) {
    if (place === undefined) continue
    const current = await digestOf(place).catch((error: unknown) => (codeOf(error) === 'ENOENT' ? undefined : ''))
    if (current === sha256) continue
    const file = current === undefined ? place : `${place}.restored`
    const written = await copyOutside(path.join(staged, name), file, mode).catch(reasonOf)
    if (written !== undefined) lines.push(`${file}: not written: ${written}`)
    else
      lines.push(
        current === undefined ? `${file}: written` : `${place} differs and was kept; the archived one is ${file}`,
      )
  }
  return lines
}

async function copyOutside(from: string, file: string, mode: number): Promise<undefined> {
  await makeDirectory(path.dirname(file))
  await copyFile(from, file)
  await chmod(file, mode)
  const { uid, gid } = await stat(path.dirname(file))
  if (process.getuid?.() === 0) await chown(file, uid, gid)
}

/** Restored by root for a manager that runs as another user. */
async function giveToOwner(target: string, staged: string): Promise<void> {
  const { uid, gid } = await stat(target)
  if (process.getuid?.() !== 0 || uid === 0) return
  for (const name of await readdir(staged, { recursive: true })) await chown(path.join(staged, name), uid, gid)
}

async function unpack({ file, keys }: RestoreWish, folder: string): Promise<Result<void>> {
  const stages = await decoding(file, keys)
  if (!stages.ok) return stages
  await pipeline([
    createReadStream(file),
    ...stages.value,
    extract({ cwd: folder, strict: true, preservePaths: false }),
  ])
  return ok(undefined)
}

/** Every file is there with the bytes of the manifest, and no other. */
async function verify(staged: string, { files }: Manifest): Promise<Result<void>> {
  for (const { name, sha256, mode } of files) {
    const found = await digestOf(path.join(staged, name)).catch(() => 'missing')
    if (found !== sha256) return fail('file-unreadable', `the archive is damaged: ${name}`)
    await chmod(path.join(staged, name), mode)
  }
  return ok(undefined)
}

/** Reads the first member only. */
async function readManifest(file: string, keys: string | undefined): Promise<Result<Manifest>> {
  const stages = await decoding(file, keys)
  if (!stages.ok) return stages
  const folder = await mkdtemp(path.join(os.tmpdir(), 'manager-manifest-'))
  try {
    await pipeline([
      createReadStream(file),
      ...stages.value,
      extract({ cwd: folder, filter: (name) => name === MANIFEST }),
    ])
    return parseManifest(await readFile(path.join(folder, MANIFEST), 'utf8').catch(() => ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** From the bytes of the file to those of the tarball. */
async function decoding(file: string, keyFile: string | undefined) {
  const handle = await open(file, 'r')
  const start = Buffer.alloc(15)
  await handle.read(start, 0, start.length, 0).finally(() => handle.close())
  if (start.toString() !== 'age-encryption.') return ok([createGunzip()])
  if (keyFile === undefined) return fail('no-key', `${file} is encrypted: name the file of its key with --keys`)
  const keys = await readKeys(keyFile)
  return keys.ok ? ok([createDecryption(keys.value.identities, file), createGunzip()]) : keys
}
