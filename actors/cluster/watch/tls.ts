// Keeps TLS to databases as its files say: read at start, at new settings, and now and then, since files are renewed.
import { isDeepStrictEqual } from 'node:util'
import { MINUTE, now } from '../../../lib/base/time.js'
import { readTls, type SqlTls } from '../../../lib/effect/index.js'
import type { Cluster } from '../state/message/cluster.js'
import { tlsFiles } from '../state/message/wires.js'

/** How long a renewed certificate waits at most. */
const REREAD_MS = MINUTE

export class TlsWatch {
  readonly #actor: Pick<Cluster, 'state' | 'tell'>
  #readAt = now()

  constructor(actor: Pick<Cluster, 'state' | 'tell'>) {
    this.#actor = actor
  }

  /** Reads the files when that is due. */
  rereadWhenDue(): void {
    if (now() - this.#readAt >= REREAD_MS) void this.read()
  }

  /** Reads the files and reports to the behaviour when their content has changed. */
  async read(): Promise<void> {
    this.#readAt = now()
    const read = await readTls(tlsFiles(this.#actor.state))
    const tls = keptWhile(read, this.#actor.state.tls)
    if (!isDeepStrictEqual(tls, this.#actor.state.tls)) this.#actor.tell('read-tls', { tls })
  }
}

/** What was read before goes on while the same files are damaged: a renewal gone wrong must not blind the manager. */
function keptWhile(read: SqlTls | undefined, before: SqlTls | undefined): SqlTls | undefined {
  if (read?.unusable === undefined || before === undefined || before.unusable !== undefined) return read
  return isDeepStrictEqual(read.files, before.files) ? { ...before, outdated: read.unusable } : read
}
