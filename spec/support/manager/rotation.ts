// A manager whose passwords are rotated: what it keeps of them, and a kill in the middle.
import { readFileSync, watch } from 'node:fs'
import path from 'node:path'
import { unwrap } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'
import { MINUTE } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { isRotating, type Rotation } from '../../../lib/model/operation/rotation.js'
import { decryptSecret, generateKeyFile } from '../../../lib/settings/secret/secrets.js'
import type { Node } from '../databases/node.js'
import type { TcpGate } from '../machine/tcp-gate.js'
import { eventually } from '../wait.js'
import type { ManagerProcess } from './manager-process.js'

const C = '/api/clusters/story'
/** A request that waits for the whole rotation; less than a test may take. */
const WHOLE_MS = 5 * MINUTE

export type Logins = Readonly<Record<'monitor' | 'replication', string>>

/** A rotation as the API reports it. */
export interface RotationView {
  readonly id: string
  readonly phase: string
  readonly waitsFor?: string
  readonly message?: string
  readonly renewed: readonly string[]
}

export class RotationDesk {
  readonly manager: ManagerProcess
  readonly keyFile: string
  readonly #gates: readonly TcpGate[]

  private constructor(manager: ManagerProcess, gates: readonly TcpGate[]) {
    this.manager = manager
    this.#gates = gates
    this.keyFile = path.join(manager.directory, 'key')
  }

  /** With a key for what the manager saves, and the gates on its way to its servers, if there are any. */
  static async open(manager: ManagerProcess, gates: readonly TcpGate[] = []): Promise<RotationDesk> {
    const desk = new RotationDesk(manager, gates)
    unwrap(await generateKeyFile(desk.keyFile))
    return desk
  }

  get savedFile(): string {
    return path.join(this.manager.dataDirectory, 'story', 'story.toml')
  }

  get recordFile(): string {
    return path.join(this.manager.dataDirectory, 'story', 'rotation.json')
  }

  log(): string {
    return this.manager.log().slice(-6_000)
  }

  rotation(): Promise<RotationView | null> {
    return this.manager.get<RotationView | null>(`${C}/rotation`)
  }

  /** As the manager keeps them for its next start. */
  saved(): Logins {
    const text = readFileSync(this.savedFile, 'utf8')
    const key = secret(readFileSync(this.keyFile, 'utf8').trim())
    const password = (name: string) => {
      const [, stored = ''] = new RegExp(`${name} = "([^"]*)"`).exec(text) ?? []
      const plain = stored.startsWith('aes256gcm:') ? reveal(unwrap(decryptSecret(stored, key))) : stored
      return plain.slice(plain.indexOf(':') + 1)
    }
    return { monitor: password('db-servers-credential'), replication: password('replication-credential') }
  }

  async begin(wait: boolean): Promise<RotationView> {
    let reply = { status: 0, body: '' }
    const begun = async () => {
      reply = await this.manager.post(`${C}/actions/rotate-passwords?wait=${wait}`)
      return reply.status === 200
    }
    await eventually(
      begun,
      () => `it begins: ${reply.status} ${reply.body}\n${this.log()}`,
      wait ? { limitMs: WHOLE_MS } : {},
    )
    return JSON.parse(reply.body) as RotationView
  }

  async succeeds(): Promise<void> {
    await eventually(
      async () => (await this.rotation())?.phase === 'succeeded',
      () =>
        `the rotation ends: ${readFileSync(this.recordFile, 'utf8').replace(/"secrets":"[^"]*"/, '')}\n${this.log()}`,
    )
  }

  /** For what this text names; a wait for something else may be over a moment later. */
  async waits(named = ''): Promise<void> {
    await eventually(
      async () => (await this.rotation())?.waitsFor?.includes(named) === true,
      () => `it waits for ${named}\n${this.log()}`,
    )
  }

  /**
   * Begins a rotation, and calls `then` when its record shows this. Through gates the manager says nothing to any server
   * between the record and the call. Fails when the rotation ended before.
   */
  async cut(isDue: (rotation: Rotation) => boolean, then: () => void): Promise<void> {
    const before = recordIn(this.recordFile)?.id
    let result: 'cut' | 'ended' | undefined
    const look = () => {
      const rotation = recordIn(this.recordFile)
      if (result || !rotation || rotation.id === before) return
      if (isRotating(rotation) && !isDue(rotation)) return
      result = isRotating(rotation) ? 'cut' : 'ended'
      if (result === 'cut') then()
    }
    const watcher = watch(path.dirname(this.recordFile), look)
    for (const gate of this.#gates) gate.beforeBytes = look
    try {
      let reply = { status: 0, body: '' }
      const begun = async () => {
        if (!result) reply = await this.manager.post(`${C}/actions/rotate-passwords?wait=false`)
        return result !== undefined || reply.status === 200
      }
      await eventually(begun, () => `it begins: ${reply.status} ${reply.body}\n${this.log()}`)
      await eventually(
        () => result,
        () => `it comes so far\n${this.log()}`,
      )
      if (result === 'ended') throw new Error(`the rotation ended before it was cut\n${this.log()}`)
    } finally {
      watcher.close()
      for (const gate of this.#gates) gate.beforeBytes = () => undefined
    }
  }
}

/** Whether the login is taken. */
export async function opens({ host, port }: Node, user: string, password: string): Promise<boolean> {
  const session = await openSession({ host, port, user, password, anyKey: true, connectTimeoutMs: 10_000 })
  if (session.ok) session.value.close()
  else if (session.failure.code !== 'sql-rejected') throw new Error(session.failure.message)
  return session.ok
}

/** Undefined where there is none yet, or it is just being written. */
function recordIn(file: string): Rotation | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly value: { readonly rotation: Rotation } }).value
      .rotation
  } catch {
    return undefined
  }
}
