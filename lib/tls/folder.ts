// The folder of a cluster's TLS material: `{cluster}/ssl`, a link to a folder that holds one whole generation of it.
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, open, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../base/files/modes.js'
import { fail, ok, type Result } from '../base/result.js'
import { MINUTE } from '../base/time.js'
import type { Material } from './material.js'

/** Files of `ssl/`, also of the archive's `etc/mysql/ssl/`, without the authority's key. */
export const materialFiles = {
  ca: 'ca-cert.pem',
  caKey: 'ca-key.pem',
  serverCert: 'server-cert.pem',
  serverKey: 'server-key.pem',
  clientCert: 'client-cert.pem',
  clientKey: 'client-key.pem',
} as const

const LINK = 'ssl'
const FORMER = 'old_certs'
const GENERATION = '.ssl-'
const DRAFT = '.draft-ssl-'

/** A draft this old was left by a manager that was killed while writing: it holds keys and is removed. */
const STALE_MS = 60 * MINUTE

/** The texts that servers get, by file name. */
export const deliveredFiles = ({ ca, server, client }: Material): Readonly<Record<string, string>> => ({
  [materialFiles.ca]: ca,
  [materialFiles.serverCert]: server.cert,
  [materialFiles.serverKey]: server.key,
  [materialFiles.clientCert]: client.cert,
  [materialFiles.clientKey]: client.key,
})

/** The material in force, of one generation; undefined when none was made; `file-unreadable` when some of it is missing. */
export async function readMaterial(clusterDirectory: string): Promise<Result<Material | undefined>> {
  const link = path.join(clusterDirectory, LINK)
  const generation = await readlink(link).catch(() => undefined)
  if (generation === undefined) return ok(undefined)
  const folder = path.resolve(clusterDirectory, generation)
  const read = (name: string) => readFile(path.join(folder, name), 'utf8')
  try {
    const caKey = await read(materialFiles.caKey).catch(() => undefined)
    return ok({
      ca: await read(materialFiles.ca),
      ...(caKey === undefined ? {} : { caKey }),
      server: { cert: await read(materialFiles.serverCert), key: await read(materialFiles.serverKey) },
      client: { cert: await read(materialFiles.clientCert), key: await read(materialFiles.clientKey) },
    })
  } catch (error) {
    return fail('file-unreadable', `${link}: ${reasonOf(error)}`)
  }
}

/**
 * Puts the material in force in one step: a reader, or a crash at any moment, finds the old generation or the new one.
 * The previous one stays below `old_certs`. True when it differs from it: a generation's folder is named after
 * its content, so files edited manually become a separate generation. Failure: `file-unwritable`, nothing has changed.
 */
export async function writeMaterial(clusterDirectory: string, material: Material): Promise<Result<boolean>> {
  const { caKey } = material
  const texts = { ...deliveredFiles(material), ...(caKey === undefined ? {} : { [materialFiles.caKey]: caKey }) }
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  const name = GENERATION + digest
  try {
    await mkdir(clusterDirectory, { recursive: true, mode: modeOf('shared') })
    const before = await readlink(path.join(clusterDirectory, LINK)).catch(() => undefined)
    if (before === name) return ok(false)
    await writeGeneration(path.join(clusterDirectory, name), texts)
    if (before !== undefined) await moveLink(path.join(clusterDirectory, FORMER), before)
    await moveLink(path.join(clusterDirectory, LINK), name)
    await removeOthers(clusterDirectory, [name, before])
    return ok(true)
  } catch (error) {
    return fail('file-unwritable', `${path.join(clusterDirectory, LINK)}: ${reasonOf(error)}`)
  }
}

async function writeGeneration(folder: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const draft = await mkdtemp(path.join(path.dirname(folder), DRAFT))
  try {
    for (const [name, text] of Object.entries(texts)) {
      const handle = await open(path.join(draft, name), 'wx', modeOf('key'))
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    await rm(folder, { recursive: true, force: true }) // it is not the one in force, at most the former one, unlinked next
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

async function moveLink(link: string, target: string): Promise<void> {
  const draft = `${link}.${process.pid}.${performance.now()}`
  await symlink(target, draft)
  await rename(draft, link)
}

/** Older generations, and what killed managers left unfinished: drafts, and links that were not put in place. */
async function removeOthers(directory: string, kept: readonly (string | undefined)[]): Promise<void> {
  const names = (await readdir(directory)).filter((name) => !kept.includes(name))
  const old = names.filter((name) => name.startsWith(GENERATION))
  const drafts = names.filter((name) => name.startsWith(DRAFT) || /^(ssl|old_certs)\.\d/.test(name))
  const stale = await Promise.all(drafts.map((name) => isStale(path.join(directory, name))))
  const others = [...old, ...drafts.filter((_, index) => stale[index])]
  await Promise.all(others.map((name) => rm(path.join(directory, name), { recursive: true, force: true })))
}

const isStale = async (file: string): Promise<boolean> =>
  lstat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > STALE_MS,
    () => false,
  )

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
