// The certificate work of a pool thread for a cluster: create, extend, rotate, retire, import from files.
import { readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../../lib/base/result.js'
import {
  expiryOf,
  extendMaterial,
  isRotating,
  judgeMaterial,
  type Material,
  makeMaterial,
  readMaterial,
  retireMaterial,
  rotateMaterial,
  writeMaterial,
} from '../../lib/tls/index.js'
import type { CertificateFiles, CertifyAction, CertifyTask } from './input.js'

/** The state of the certificates of a cluster. */
export interface Certified {
  readonly changed: boolean
  /** When the first of them expires, milliseconds since the epoch. */
  readonly expiresAt: number
  /** The previous authority is trusted as well. */
  readonly rotating: boolean
}

/** Failures: `bad-certificate`, `wrong-state`, `file-unreadable`, `file-unwritable`; nothing has changed then. */
export async function certify(task: CertifyTask, at: number): Promise<Result<Certified>> {
  const before = await readMaterial(task.directory)
  const next = await decideMaterial(task, before, at)
  if (!next.ok) return next
  const material = next.value
  const written = await writeMaterial(task.directory, material)
  if (!written.ok) return written
  return ok({ changed: written.value, expiresAt: expiryOf(material), rotating: isRotating(material) })
}

type Before = Result<Material | undefined>
type Next = Result<Material> | Promise<Result<Material>>

function decideMaterial(task: CertifyTask, before: Before, at: number): Next {
  const { action, files } = task
  if (files !== undefined) return action === 'ensure' || action === 'reload' ? adopt(files, at) : notOurs(task)
  return deciders[action](task, before, at)
}

const notOurs = ({ cluster }: CertifyTask): Result<never> =>
  fail(
    'wrong-state',
    `the certificates of ${cluster} come from the files of db-servers-tls-server-cert: replace those and reload`,
  )

/** Changes of material that was created here. */
const deciders: Readonly<Record<CertifyAction, (task: CertifyTask, before: Before, at: number) => Next>> = {
  ensure: async (task, before, at) => {
    if (!before.ok) return before // it is repaired manually or rotated on request: servers may still trust it
    if (before.value === undefined) return ok(await makeMaterial(task, at))
    return ok((await extendMaterial(before.value, task, at)) ?? before.value)
  },
  rotate: async (task, before, at) =>
    ok(before.ok && before.value ? await rotateMaterial(before.value, task, at) : await makeMaterial(task, at)),
  retire: ({ cluster }, before) => {
    if (!before.ok) return before
    return before.value && isRotating(before.value)
      ? ok(retireMaterial(before.value))
      : fail('wrong-state', `${cluster} trusts no former authority`)
  },
  reload: ({ cluster, directory }, before, at) => {
    if (!before.ok) return before
    if (before.value === undefined) return fail('file-unreadable', `${cluster} has no certificates in ${directory}/ssl`)
    const reason = judgeMaterial(before.value, at)
    return reason === undefined ? ok(before.value) : fail('bad-certificate', `${directory}/ssl: ${reason}`)
  },
}

/** The files' content, when it can be used; a client pair that is not given is the server's. */
async function adopt(files: CertificateFiles, at: number): Promise<Result<Material>> {
  try {
    const read = (file: string) => readFile(file, 'utf8')
    const server = { cert: await read(files.serverCert), key: await read(files.serverKey) }
    const { clientCert, clientKey } = files
    const client = clientCert && clientKey ? { cert: await read(clientCert), key: await read(clientKey) } : server
    const material = { ca: await read(files.ca), server, client }
    const reason = judgeMaterial(material, at)
    return reason === undefined ? ok(material) : fail('bad-certificate', `${files.serverCert}: ${reason}`)
  } catch (error) {
    return fail('file-unreadable', error instanceof Error ? error.message : String(error))
  }
}
