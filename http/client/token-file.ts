// Tokens that outlive a run of the client: one file of mode 0600, by user and address, in a folder that no one else writes to.
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { isWrittenByOthers, modeOf } from '../../lib/base/files/modes.js'

/** Where tokens are kept: `$XDG_CONFIG_HOME/manager/sessions.json`, without it below `~/.config`. */
export const tokenFile = (environment: NodeJS.ProcessEnv = process.env): string =>
  path.join(environment.XDG_CONFIG_HOME || path.join(os.homedir(), '.config'), 'manager', 'sessions.json')

/** The kept token, if there is one; a file that cannot be read, or that others may write, holds none. */
export async function readToken(key: string): Promise<string | undefined> {
  return (await readTokens())[key]
}

/** Keeps a token, or forgets it when there is none. One that cannot be kept costs a login the next time, nothing else. */
export async function keepToken(key: string, token: string | undefined): Promise<void> {
  const file = tokenFile()
  const draft = `${file}.${randomUUID()}`
  const { [key]: _, ...others } = await readTokens()
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
    // In a folder that others may write to, the file could be replaced by theirs.
    if (!isOwn(await stat(path.dirname(file)))) return
    await writeNew(draft, JSON.stringify(token === undefined ? others : { ...others, [key]: token }))
    await rename(draft, file)
  } catch {
    // No home directory, or a read-only one: go on without.
    await rm(draft, { force: true }).catch(() => undefined)
  }
}

/** Exclusive: neither a file nor a link that is there already is written to. */
async function writeNew(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', modeOf('token'))
  try {
    await handle.writeFile(text)
  } finally {
    await handle.close()
  }
}

/** Belongs to the user of this process, and no one else may write to it. */
const isOwn = ({ uid, mode }: Owned): boolean =>
  process.geteuid === undefined || (uid === process.geteuid() && !isWrittenByOthers(mode))

interface Owned {
  readonly uid: number
  readonly mode: number
}

async function readTokens(): Promise<Readonly<Record<string, string>>> {
  try {
    const kept: unknown = JSON.parse(await readOwn(tokenFile()))
    const entries = typeof kept === 'object' && kept !== null ? Object.entries(kept) : []
    return Object.fromEntries(entries.filter(([, token]) => typeof token === 'string'))
  } catch {
    return {}
  }
}

/** The text of a file that only this user may have written; throws for any other. */
async function readOwn(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    if (!isOwn(await handle.stat())) throw new Error(`${file} may be written by others`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
