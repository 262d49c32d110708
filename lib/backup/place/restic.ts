// A place that is a restic repository: each file is a snapshot of one stream, found by its path.
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { done, fail, ok, type Result } from '../../base/result.js'
import { openProgram, type PipedRequest, renderEnded } from '../../connect/shell/piped.js'
import { reasonOf } from '../../store/kit/atomic-write.js'
import type { Place, PlacedFile, PutOptions, ResticConfig } from './place.js'

/** Words of restic by which it says that there is no repository yet. */
const NO_REPOSITORY =
  /unable to open config file|Is there a repository at the following location|repository does not exist/
/** A record is short; more than this is no answer of restic, bytes. */
const LONGEST_ANSWER = 512 * 1024 * 1024

interface Snapshot {
  readonly id: string
  readonly time: string
  readonly paths: readonly string[]
}

export function openRestic(config: ResticConfig): Place {
  return new ResticPlace(config)
}

class ResticPlace implements Place {
  readonly kind = 'restic' as const
  readonly #config: ResticConfig

  constructor(config: ResticConfig) {
    this.#config = config
  }

  async put(name: string, bytes: Readable, { signal, tags = [] }: PutOptions): Promise<Result<void>> {
    const args = ['backup', '--quiet', '--stdin', '--stdin-filename', `/${name}`, '--host', 'manager']
    const program = openProgram(this.#request([...args, ...tags.flatMap((tag) => ['--tag', tag])], 'lines'))
    const end = () => program.kill('SIGTERM') // it then stores no snapshot
    signal.addEventListener('abort', end, { once: true })
    const fed = pipeline(bytes, program.stdin, { signal }).catch((error: unknown) => {
      end()
      return reasonOf(error)
    })
    const [reason, ended] = await Promise.all([fed, program.ended])
    signal.removeEventListener('abort', end)
    if (ended.status !== 0 && ended.reason !== 'ended by SIGTERM') return fail('place-failed', renderEnded(ended))
    return typeof reason === 'string' ? fail('place-failed', `${this.#config.binary}: ${name}: ${reason}`) : done
  }

  putText(name: string, text: string, options: PutOptions): Promise<Result<void>> {
    const bytes = new PassThrough()
    bytes.end(text)
    return this.put(name, bytes, options)
  }

  async get(name: string, signal: AbortSignal): Promise<Result<Readable>> {
    const found = await this.#snapshots(name)
    if (!found.ok) return found
    const [newest] = found.value
    if (!newest) return fail('place-failed', `${name}: no snapshot of the repository holds it`)
    return ok(this.#dump(newest.id, name, signal))
  }

  async getText(name: string, signal: AbortSignal): Promise<Result<string>> {
    const stream = await this.get(name, signal)
    return stream.ok ? readAll(stream.value) : stream
  }

  async list(prefix: string): Promise<Result<readonly PlacedFile[]>> {
    const found = await this.#snapshots(prefix)
    if (!found.ok) return found
    const names = new Map<string, PlacedFile>()
    for (const { paths, time } of found.value.toReversed())
      for (const each of paths) names.set(nameOf(each), { path: nameOf(each), at: Date.parse(time) })
    return ok([...names.values()])
  }

  /** The snapshots, then what no other one needs. */
  async remove(names: readonly string[]): Promise<Result<void>> {
    const found = await this.#snapshots('')
    if (!found.ok) return found
    const ids = found.value
      .filter(({ paths }) => paths.some((each) => names.includes(nameOf(each))))
      .map(({ id }) => id)
    if (ids.length === 0) return done
    const removed = await this.#run(['forget', '--quiet', '--prune', ...ids])
    return removed.ok ? done : removed
  }

  /** Locks of processes that are gone; packs that interrupted backups left are removed by the next prune. */
  async tidy(): Promise<Result<void>> {
    const unlocked = await this.#run(['unlock', '--quiet'])
    return unlocked.ok ? done : unlocked
  }

  /** Creates the repository where there is none. */
  async check(): Promise<Result<void>> {
    const opened = await this.#run(['cat', 'config', '--quiet'])
    if (opened.ok) return done
    if (!NO_REPOSITORY.test(opened.failure.message)) return opened
    const created = await this.#run(['init', '--quiet'])
    return created.ok ? done : created
  }

  async free(): Promise<Result<{ freeBytes: number; totalBytes: number } | undefined>> {
    const { repository } = this.#config
    if (!path.isAbsolute(repository)) return ok(undefined)
    try {
      const { bavail, blocks, bsize } = await statfs(repository).catch(() => statfs(path.dirname(repository)))
      return ok({ freeBytes: bavail * bsize, totalBytes: blocks * bsize })
    } catch (error) {
      return fail('place-failed', `${repository}: ${reasonOf(error)}`)
    }
  }

  /** Newest first, of paths below the prefix. A repository that does not exist has none. */
  async #snapshots(prefix: string): Promise<Result<readonly Snapshot[]>> {
    const listed = await this.#run(['snapshots', '--json', '--no-lock', '--quiet'])
    if (!listed.ok) return NO_REPOSITORY.test(listed.failure.message) ? ok([]) : listed
    const snapshots = JSON.parse(listed.value || '[]') as readonly Snapshot[] | null // what restic documents
    const within = (each: string) => prefix === '' || nameOf(each) === prefix || nameOf(each).startsWith(`${prefix}/`)
    return ok(
      (snapshots ?? [])
        .filter(({ paths }) => paths.some(within))
        .sort((a, b) => Date.parse(b.time) - Date.parse(a.time)),
    )
  }

  #dump(id: string, name: string, signal: AbortSignal): Readable {
    const program = openProgram(this.#request(['dump', '--quiet', id, `/${name}`], 'pipe'))
    program.stdin.end()
    signal.addEventListener('abort', () => program.kill('SIGTERM'), { once: true })
    const out = new PassThrough({
      flush: (callback) => {
        program.ended.then((ended) => callback(ended.status === 0 ? null : new Error(renderEnded(ended))), callback)
      },
    })
    pipeline(program.stdout, out, { signal }).catch(() => program.kill('SIGTERM'))
    return out
  }

  /** The whole output of a command that answers. */
  async #run(args: readonly string[]): Promise<Result<string>> {
    const program = openProgram(this.#request(args, 'pipe'))
    program.stdin.on('error', () => undefined).end()
    const late = setTimeout(() => program.kill('SIGKILL'), this.#config.timeoutMs)
    const [text, ended] = await Promise.all([readAll(program.stdout), program.ended])
    clearTimeout(late)
    if (ended.status === 0) return text
    const isLate = ended.reason === 'ended by SIGKILL'
    const why = isLate ? ` (backup-restic-timeout ${this.#config.timeoutMs / 1000} s)` : ''
    return fail('place-failed', `${renderEnded({ ...ended, lastLines: [ended.lastLines.join(' ')] })}${why}`)
  }

  #request(args: readonly string[], output: PipedRequest['output']): PipedRequest {
    const { binary, repository, password, env = {} } = this.#config
    return {
      ...{ file: binary, args, output },
      env: { ...env, RESTIC_REPOSITORY: repository, RESTIC_PASSWORD: password },
    }
  }
}

/** A path of a snapshot begins with a slash. */
const nameOf = (each: string): string => each.replace(/^\/+/, '')

async function readAll(stream: Readable): Promise<Result<string>> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of stream) {
      parts.push(part)
      bytes += part.length
      if (bytes > LONGEST_ANSWER) throw new Error(`more than ${LONGEST_ANSWER} bytes`)
    }
    return ok(Buffer.concat(parts).toString('utf8'))
  } catch (error) {
    return fail('place-failed', reasonOf(error))
  }
}
