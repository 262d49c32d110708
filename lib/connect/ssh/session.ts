// One SSH connection: opened with the host key checked, then any number of commands, each with its lines and deadline.
import type { Readable } from 'node:stream'
import { Client, type ClientChannel, type ServerHostKeyAlgorithm } from 'ssh2'
import { fail, ok, type Result } from '../../base/result.js'
import { startTimer, type Timer } from '../../base/time.js'
import { keepLast, readLines } from '../shell/lines.js'
import { fingerprint, type HostKeyVerdict, type KnownHosts, keyType } from './known-hosts.js'

export interface SshTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password?: string
  /** Text of a private key without passphrase. */
  readonly privateKey?: string
}

export interface SshOptions {
  readonly knownHosts: KnownHosts
  /** Policy for a host that is not in the file. */
  readonly firstUse: 'accept' | 'refuse'
  /** Timeout until the end of the login, milliseconds. */
  readonly connectMs: number
}

export interface SshRequest {
  readonly command: string
  /** Written to the command's standard input, which is then closed. */
  readonly input?: string
  /** Timeout after which the command's process group is ended and the connection closed. */
  readonly timeoutMs: number
  /** What ends it at its timeout; the machine's when absent. */
  readonly timer?: Timer
  readonly signal: AbortSignal
  /** Called per line of standard output and error; longer lines than 2,000 characters are cut. */
  readonly onLine?: (line: string) => void
}

export interface SshAnswer {
  /** The command's exit status. */
  readonly code: number
  /** The last lines it wrote, newest last. */
  readonly lastLines: readonly string[]
}

export interface SshSession {
  /** Any exit status is an answer. `deadline-passed` and `ssh-unreachable` (the connection broke) leave the session closed. */
  run(request: SshRequest): Promise<Result<SshAnswer>>
  readonly closed: boolean
  close(): void
}

const LAST_LINES = 20
/** Time after which a host that stopped answering is detected, even while a command is silent. */
const KEEPALIVE_MS = 5_000
const KEEPALIVES = 3
/** Time between the signal to a late command and the end of its connection. */
const GRACE_MS = 1_000

/** Names of the signature algorithms by the type of key they are made with. */
const algorithms: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
}

/** `ssh-unreachable`, `ssh-host-key` or `ssh-rejected` when there is no login in time; never throws. */
export async function openSsh(target: SshTarget, options: SshOptions): Promise<Result<SshSession>> {
  const where = `${target.user}@${target.host}:${target.port}`
  try {
    const known = await options.knownHosts.types(target)
    const serverHostKey = known.flatMap((type) => algorithms[type] ?? [])
    return await connect(target, { ...options, where, serverHostKey })
  } catch (error) {
    return fail('ssh-unreachable', `${where}: ${reason(error)}`)
  }
}

interface Opening extends SshOptions {
  readonly where: string
  /** Those listed for the host; all when it is not listed. */
  readonly serverHostKey: readonly ServerHostKeyAlgorithm[]
}

function connect(target: SshTarget, opening: Opening): Promise<Result<SshSession>> {
  const { where, connectMs, serverHostKey } = opening
  return new Promise((resolve) => {
    const client = new Client()
    let refusal: string | undefined
    const lose = (error: Error & { level?: string }) => {
      client.end()
      if (refusal !== undefined) return resolve(fail('ssh-host-key', `${where}: ${refusal}`))
      if (error.level === 'client-authentication')
        return resolve(fail('ssh-rejected', `${where}: the host refuses the login (${methods(target)})`))
      if (/host key format|matching host key/i.test(error.message))
        return resolve(fail('ssh-host-key', `${where}: the host presents no key of a type listed for it`))
      resolve(fail('ssh-unreachable', `${where}: ${error.message}`))
    }
    client.on('error', lose)
    client.once('close', () => lose(new Error('the host closed the connection')))
    client.once('ready', () => resolve(ok(new OpenSession(client, where))))
    client.connect({
      host: target.host,
      port: target.port,
      username: target.user,
      ...(target.password === undefined ? {} : { password: target.password }),
      ...(target.privateKey === undefined ? {} : { privateKey: target.privateKey }),
      readyTimeout: connectMs,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: KEEPALIVES,
      ...(serverHostKey.length === 0 ? {} : { algorithms: { serverHostKey: [...serverHostKey] } }),
      hostVerifier: (key: Buffer, verify: (trusted: boolean) => void) => {
        void judgeKey(target, key, opening).then((why) => {
          refusal = why
          verify(why === undefined)
        })
      },
    })
  })
}

const methods = ({ password, privateKey }: SshTarget): string =>
  [...(privateKey === undefined ? [] : ['key']), ...(password === undefined ? [] : ['password'])].join(', ') ||
  'neither a key nor a password is configured'

/** Undefined when the key is trusted, otherwise the reason. */
async function judgeKey(
  target: SshTarget,
  key: Buffer,
  { knownHosts, firstUse }: SshOptions,
): Promise<string | undefined> {
  const shown = `${keyType(key)} ${fingerprint(key)}`
  try {
    const verdict = await knownHosts.judge(target, key)
    if (verdict !== 'unknown') return refusals[verdict]?.(shown, knownHosts.file)
    if (firstUse === 'refuse') return `the host is not in ${knownHosts.file}; it presents ${shown}`
    await knownHosts.add(target, key)
    return undefined
  } catch (error) {
    return `${knownHosts.file}: ${reason(error)}`
  }
}

const refusals: Readonly<Partial<Record<HostKeyVerdict, (shown: string, file: string) => string>>> = {
  changed: (shown, file) =>
    `the host key has changed: it presents ${shown}, which is not the one in ${file}; remove that line if the change is expected`,
  revoked: (shown, file) => `the host key ${shown} is revoked in ${file}`,
}

class OpenSession implements SshSession {
  readonly #client: Client
  readonly #where: string
  #lost: string | undefined
  /** A command exceeded its timeout: later commands run on another connection. */
  #late = false
  readonly #ends = new Set<(reason: string) => void>()

  constructor(client: Client, where: string) {
    this.#client = client
    this.#where = where
    client.removeAllListeners('close')
    client.removeAllListeners('error')
    client.on('error', (error) => this.#lose(error.message))
    client.on('close', () => this.#lose('the connection was closed'))
  }

  get closed(): boolean {
    return this.#lost !== undefined || this.#late
  }

  close(): void {
    this.#lose('the connection was closed')
  }

  #lose(reason: string): void {
    if (this.#lost !== undefined) return
    this.#lost = reason
    this.#client.end()
    for (const end of this.#ends) end(reason)
  }

  run(request: SshRequest): Promise<Result<SshAnswer>> {
    const failed = (why: string) => fail('ssh-unreachable', `${this.#where}: ${why}`)
    return new Promise((resolve) => {
      if (this.#lost !== undefined) return resolve(failed(this.#lost))
      const lastLines: string[] = []
      let channel: ClientChannel | undefined
      const settle = (result: Result<SshAnswer>) => {
        cancel()
        request.signal.removeEventListener('abort', abort)
        this.#ends.delete(lost)
        resolve(result)
      }
      const lost = (why: string) => settle(failed(why))
      const end = (why: string) => {
        settle(fail('deadline-passed', `${this.#where}: ${why}${lastWords(lastLines)}`))
        this.#late = true
        channel?.signal('TERM')
        setTimeout(() => {
          channel?.signal('KILL')
          this.close()
        }, GRACE_MS).unref()
      }
      const abort = () => end('ended on request')
      const { timeoutMs, timer = startTimer } = request
      const cancel = timer(timeoutMs, () => end(`not done within ${timeoutMs} ms`))
      request.signal.addEventListener('abort', abort, { once: true })
      if (request.signal.aborted) return abort()
      this.#ends.add(lost)
      this.#client.exec(request.command, (error, opened) => {
        if (error) return lost(error.message)
        channel = opened
        collect([opened, opened.stderr], request, lastLines)
        let code = -1
        opened.on('exit', (status: number | null) => {
          code = status ?? -1
        })
        opened.on('close', () => settle(ok({ code, lastLines })))
        opened.on('error', (fault: Error) => lost(fault.message))
        opened.end(request.input ?? '')
      })
    })
  }
}

function collect(streams: readonly Readable[], { onLine }: SshRequest, lastLines: string[]): void {
  for (const stream of streams) {
    readLines(stream, (line) => {
      keepLast(lastLines, line, LAST_LINES)
      onLine?.(line)
    })
  }
}

const lastWords = (lines: readonly string[]): string => {
  const last = lines.at(-1)
  return last === undefined ? '' : `; its last line: ${last}`
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
