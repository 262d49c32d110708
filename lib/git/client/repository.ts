// The client of the system's git: a bare repository in the working directory, its remote, and the login that goes by environment only.
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { SimpleGit } from 'simple-git'
import { modeOf } from '../../base/files/modes.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret } from '../../base/secret.js'
import { MINUTE, SECOND } from '../../base/time.js'
import { type FileSet, kindOf } from '../content/file-set.js'
import { LARGEST_FILE } from '../content/judge-files.js'
import { type NewCommit, renderFastImport } from './fast-import.js'
import {
  type Commit,
  isBehind,
  isLoginRefused,
  LOG_FORMAT,
  parseBatch,
  parseLog,
  parseRemoteHead,
  parseTree,
  reasonOfGit,
} from './parse.js'

export interface Remote {
  /** Without a login. */
  readonly url: string
  readonly username: string
  readonly token: Secret
  /** CA certificates (PEM); empty: those of the system. */
  readonly caCert: string
}

/** The branch that holds the configuration. */
export const BRANCH = 'main'
/** What the remote has. */
export const REMOTE_REF = `refs/remotes/origin/${BRANCH}`

const LOCAL_MS = 30 * SECOND
const REMOTE_MS = 2 * MINUTE
/** Of one tree. */
const MOST_FILES = 30_000
const MOST_BYTES = 1 << 27
/** A user name that hosts accept with a token. */
const ANY_USER = 'oauth2'

export class Repository {
  readonly #directory: string
  readonly #closing: AbortSignal

  /** `closing` ends what runs. */
  constructor(directory: string, closing: AbortSignal) {
    this.#directory = directory
    this.#closing = closing
  }

  /** Creates it where it is missing, and removes locks that a killed manager left. Failures: `git-missing`, `git-failed`. */
  async open(): Promise<Result<void>> {
    await mkdir(this.#directory, { recursive: true, mode: modeOf('scratch') })
    if (await isThere(path.join(this.#directory, 'HEAD'))) {
      await removeLocks(this.#directory)
      const sound = await this.#run(['rev-parse', '--git-dir'])
      if (sound.ok) return done
      if (!/not a git repository/i.test(sound.failure.message)) return sound
      // A copy of what the remote has: it is fetched again.
      await rm(this.#directory, { recursive: true, force: true })
      await mkdir(this.#directory, { recursive: true, mode: modeOf('scratch') })
    }
    const made = await this.#run(['init', '--quiet', '--bare', `--initial-branch=${BRANCH}`, '.'])
    return made.ok ? done : made
  }

  /** The commit that a reference names. */
  async head(ref: string): Promise<string | undefined> {
    const found = await this.#run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`])
    return found.ok && found.value.trim() !== '' ? found.value.trim() : undefined
  }

  /** The commit of the branch at the remote, undefined where it has none. Failures: `repository-away`, `repository-login`. */
  async remoteHead(remote: Remote): Promise<Result<string | undefined>> {
    const listed = await this.#run(['ls-remote', '--heads', '--', remote.url, `refs/heads/${BRANCH}`], { remote })
    return listed.ok ? ok(parseRemoteHead(listed.value, BRANCH)) : listed
  }

  /** Fetches the branch into `REMOTE_REF`, whatever its history was before. */
  async fetch(remote: Remote): Promise<Result<void>> {
    const spec = `+refs/heads/${BRANCH}:${REMOTE_REF}`
    const args = ['fetch', '--quiet', '--no-tags', '--no-auto-maintenance', '--', remote.url, spec]
    const fetched = await this.#run(args, { remote })
    return fetched.ok ? done : fetched
  }

  /** Failure `repository-moved`: the branch has commits that were not fetched. */
  async push(remote: Remote, commit: string): Promise<Result<void>> {
    const pushed = await this.#run(['push', '--quiet', '--', remote.url, `${commit}:refs/heads/${BRANCH}`], { remote })
    return pushed.ok ? this.point(REMOTE_REF, commit) : pushed
  }

  async point(ref: string, commit: string): Promise<Result<void>> {
    const pointed = await this.#run(['update-ref', ref, commit])
    return pointed.ok ? done : pointed
  }

  async commit(commit: NewCommit): Promise<Result<string>> {
    const args = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw']
    const made = await this.#run(args, { input: renderFastImport(commit) })
    if (!made.ok) return made
    const id = await this.head(commit.ref)
    return id === undefined ? fail('git-failed', 'git fast-import: no commit was made') : ok(id)
  }

  /** The files of the configuration in a commit; `instance` as in `kindOf`. Failure `git-failed` for a tree that is too large. */
  async read(commit: string, instance: string): Promise<Result<FileSet>> {
    const listed = await this.#run(['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', commit])
    if (!listed.ok) return listed
    const own = parseTree(listed.value).filter(({ path: name }) => kindOf(name, instance).kind !== 'foreign')
    const bytes = own.reduce((sum, { size }) => sum + size, 0)
    const large = own.find(({ size }) => size > LARGEST_FILE)
    if (large || own.length > MOST_FILES || bytes > MOST_BYTES)
      return fail('git-failed', `${commit.slice(0, 12)}: ${large ? `${large.path} is` : 'its files are'} too large`)
    const read = await this.#bytes(['cat-file', '--batch'], [...new Set(own.map(({ blob }) => blob))].join('\n'))
    if (!read.ok) return read
    const texts = parseBatch(read.value)
    return ok(new Map(own.map(({ path: name, blob }) => [name, texts.get(blob) ?? ''])))
  }

  /** Newest first. */
  async log(
    commit: string,
    { skip, count }: { readonly skip: number; readonly count: number },
  ): Promise<Result<readonly Commit[]>> {
    const args = ['log', `--format=${LOG_FORMAT}`, `--skip=${skip}`, `--max-count=${count}`, '--end-of-options', commit]
    const listed = await this.#run(args)
    return listed.ok ? ok(parseLog(listed.value)) : listed
  }

  /** Whether the history of `of` holds the commit. */
  async isWithin(commit: string, of: string): Promise<boolean> {
    return (await this.#run(['merge-base', '--is-ancestor', commit, of])).ok
  }

  /** Packs what has piled up. */
  async tidy(): Promise<void> {
    await this.#run(['gc', '--auto', '--quiet'])
  }

  async #run(args: readonly string[], { remote, input }: Asked = {}): Promise<Result<string>> {
    const asked = await this.#ask(remote, input, (git) => git.raw([...args]))
    return asked.ok ? ok(asked.value) : describe(args, asked.failure.message, remote)
  }

  async #bytes(args: readonly string[], input: string): Promise<Result<Buffer>> {
    const [, ...options] = args
    const asked = await this.#ask(undefined, Buffer.from(input), (git) => git.binaryCatFile(options))
    return asked.ok ? ok(Buffer.from(asked.value)) : describe(args, asked.failure.message)
  }

  async #ask<T>(
    remote: Remote | undefined,
    input: Buffer | undefined,
    work: (git: SimpleGit) => PromiseLike<T>,
  ): Promise<Result<T>> {
    const { simpleGit } = await import('simple-git')
    const deadline = AbortSignal.timeout(remote ? REMOTE_MS : LOCAL_MS)
    const env = environmentOf(remote)
    const git = simpleGit({
      baseDir: this.#directory,
      abort: AbortSignal.any([deadline, this.#closing]),
      allowEnvironment: Object.keys(env),
      unsafe: { allowUnsafeConfigEnvCount: true, allowUnsafeConfigPaths: true, allowUnsafeCredentialHelper: true },
      ...(input === undefined ? {} : { input: () => input }),
    }).env(env)
    try {
      return ok(await work(git))
    } catch (error) {
      if (deadline.aborted) return fail('git-failed', 'fatal: no answer in time')
      return fail('git-failed', error instanceof Error ? error.message : String(error))
    }
  }
}

interface Asked {
  readonly remote?: Remote
  readonly input?: Buffer
}

/** By what git said; the token is in none of it. */
function describe(args: readonly string[], text: string, remote?: Remote): Result<never> {
  if (/ENOENT|spawn git/.test(text)) return fail('git-missing', 'no program git is found')
  const reason = reasonOfGit(text)
  if (!remote) return fail('git-failed', `git ${args[0]}: ${reason}`)
  if (isLoginRefused(text)) return fail('repository-login', `${remote.url}: ${reason}`)
  if (isBehind(text)) return fail('repository-moved', `${remote.url}: ${reason}`)
  return fail('repository-away', `${remote.url}: ${reason}`)
}

/**
 * The whole environment of git: no configuration of the account, no question at a terminal. Login and token are variables that a
 * helper prints, a function of the shell that git starts for the address of the remote only: they are in no list of processes, no
 * file and no address.
 */
function environmentOf(remote: Remote | undefined): Record<string, string> {
  const origin = remote && URL.canParse(remote.url) ? new URL(remote.url).origin : undefined
  const helper =
    '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$MANAGER_GIT_USERNAME" "$MANAGER_GIT_TOKEN"; }; f'
  const configuration: readonly (readonly [string, string])[] = [
    ['gc.autoDetach', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '30'],
    ...(origin === undefined ? [] : ([[`credential.${origin}.helper`, helper]] as const)),
  ]
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'https:http',
    GIT_CONFIG_COUNT: String(configuration.length),
    ...Object.fromEntries(
      configuration.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(remote
      ? { MANAGER_GIT_USERNAME: remote.username || ANY_USER, MANAGER_GIT_TOKEN: reveal(remote.token), ...proxyOf() }
      : {}),
    ...(remote && remote.caCert !== '' ? { GIT_SSL_CAINFO: remote.caCert } : {}),
  }
}

/** How the host reaches the outside. */
const proxyOf = (): Record<string, string> =>
  Object.fromEntries(
    ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'no_proxy', 'NO_PROXY'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

/** Only this manager uses the repository, and nothing of it runs yet. */
async function removeLocks(directory: string): Promise<void> {
  const names = await readdir(directory, { recursive: true }).catch(() => [])
  const locks = names.filter((name) => name.endsWith('.lock') && !name.startsWith('objects'))
  await Promise.all(locks.map((name) => rm(path.join(directory, name), { force: true })))
}
