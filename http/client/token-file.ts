// Tokens that outlive a run of the client: one file of mode 0600, by user and address.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'

/** Where tokens are kept: `$XDG_CONFIG_HOME/manager/sessions.json`, without it below `~/.config`. */
export const tokenFile = (environment: NodeJS.ProcessEnv = process.env): string =>
  path.join(environment.XDG_CONFIG_HOME || path.join(os.homedir(), '.config'), 'manager', 'sessions.json')

/** The kept token, if there is one; a file that cannot be read holds none. */
export async function readToken(key: string): Promise<string | undefined> {
  return (await readTokens())[key]
}

/** Keeps a token, or forgets it when there is none. One that cannot be kept costs a login the next time, nothing else. */
export async function keepToken(key: string, token: string | undefined): Promise<void> {
  const file = tokenFile()
  const temporary = `${file}.${process.pid}`
  const { [key]: _, ...others } = await readTokens()
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await rm(temporary, { force: true })
    await writeFile(temporary, JSON.stringify(token === undefined ? others : { ...others, [key]: token }), {
      mode: 0o600,
    })
    await rename(temporary, file)
  } catch {
    // No home directory, or a read-only one: go on without.
  }
}

async function readTokens(): Promise<Readonly<Record<string, string>>> {
  try {
    const kept: unknown = JSON.parse(await readFile(tokenFile(), 'utf8'))
    const entries = typeof kept === 'object' && kept !== null ? Object.entries(kept) : []
    return Object.fromEntries(entries.filter(([, token]) => typeof token === 'string'))
  } catch {
    return {}
  }
}
