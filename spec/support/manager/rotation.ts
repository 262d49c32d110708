// A manager whose passwords are rotated: what it keeps of them, and a kill in the middle.
import { readFileSync, watch } from 'node:fs'
import path from 'node:path'
import { unwrap } from '../../../lib/base/result.js'
import { reveal, secret } from '../../../lib/base/secret.js'
import { MINUTE } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { decryptSecret, generateKeyFile } from '../../../lib/settings/secret/secrets.js'
import type { Node } from '../databases/node.js'
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

  private constructor(manager: ManagerProcess) {
    this.manager = manager
    this.keyFile = path.join(manager.directory, 'key')
  }

  /** With a key for what the manager saves. */
  static async open(manager: ManagerProcess): Promise<RotationDesk> {
    const desk = new RotationDesk(manager)
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

  /** Calls `then` at the `cut`-th state of the record from now on. */
  killAfter(cut: number, then: () => void): { readonly done: Promise<boolean> } {
    return killAfter(this.recordFile, cut, then)
  }
}

/** Whether the login is taken. */
export async function opens({ host, port }: Node, user: string, password: string): Promise<boolean> {
  const session = await openSession({ host, port, user, password, anyKey: true, connectTimeoutMs: 10_000 })
  if (session.ok) session.value.close()
  else if (session.failure.code !== 'sql-rejected') throw new Error(session.failure.message)
  return session.ok
}

/**
 * Calls `then` in the turn in which it sees the record at its `cut`-th state from now on. `done`: whether it came to
 * that before the rotation ended.
 */
function killAfter(file: string, cut: number, then: () => void): { readonly done: Promise<boolean> } {
  const seen = new Set([read(file)])
  return {
    done: new Promise((resolve) => {
      const watcher = watch(path.dirname(file), { persistent: false }, () => {
        const text = read(file)
        if (text === '' || seen.has(text)) return
        seen.add(text)
        const isOver = text.includes('"succeeded"') || text.includes('"stopped"')
        if (!isOver && seen.size <= cut) return
        watcher.close()
        if (!isOver) then()
        resolve(!isOver)
      })
    }),
  }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
