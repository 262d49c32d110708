// Captures: what a server is busy with when a finding opens, read a few times and kept in a file.
import { isoTime, now, SECOND, sleep } from '../../../lib/base/time.js'
import type { ServerRead } from '../../../lib/dialect/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { addressText } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { writeCapture } from '../../../lib/store/index.js'
import { type Reading, readNow } from '../requests/reads.js'
import type { Cluster } from '../state/message/cluster.js'
import type { ServerRequest } from '../state/message/command.js'
import { effectServer } from '../state/message/wires.js'

/** A running cluster whose servers are captured. */
export type Capturing = Cluster & Reading

/** Samples of one capture. */
const SAMPLES = 5
/** Sessions of a sample. */
const MOST_SESSIONS = 500

const parts = ['processlist', 'engine-status', 'status', 'replica-status'] as const satisfies readonly ServerRead[]

interface Sample {
  readonly at: string
  /** The rows of each part, or why it could not be read. */
  readonly [part: string]: unknown
}

export class Captures {
  readonly #actor: Capturing
  readonly #running = new Set<ServerId>()

  constructor(actor: Capturing) {
    this.#actor = actor
  }

  /** Begins a capture where the finding is a trigger; a server that is being captured is not captured twice. */
  opened({ code, server: id }: Finding): void {
    const { settings, snapshot } = this.#actor.state
    if (!settings['monitoring-capture'] || !settings['monitoring-capture-trigger'].includes(code)) return
    const server = findServer(snapshot, id ?? snapshot.primary)
    if (server && !this.#running.has(server.id)) void this.#capture(server, code)
  }

  async #capture(server: ServerSnapshot, trigger: string): Promise<void> {
    const { context, init, state } = this.#actor
    const at = now()
    this.#running.add(server.id)
    this.#actor.tell('capturing', { server: server.id, trigger })
    const samples: Sample[] = []
    let file = ''
    while (samples.length < SAMPLES && !context.signal.aborted) {
      samples.push(await this.#sample(server))
      const capture = { cluster: init.name, server: addressText(server), trigger, began: isoTime(at), samples }
      const kept = this.#actor.state.settings['monitoring-capture-file-keep']
      const written = await writeCapture({ directory: init.directory, server, at }, capture, kept)
      if (!written.ok) this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message })
      else file = written.value
      if (samples.length < SAMPLES) await sleep(state.settings['monitoring-ticker'] * SECOND, context.signal)
    }
    this.#running.delete(server.id)
    this.#actor.tell('capturing', { server: server.id })
    if (file !== '')
      this.#actor.tell('noted', { level: 'INFO', text: `Capture of ${server.name} (${trigger}) is in ${file}` })
  }

  async #sample({ id }: ServerSnapshot): Promise<Sample> {
    const read = parts.map(async (what): Promise<readonly [string, unknown]> => {
      const request = this.#request(id, what)
      const answer = request && (await readNow(this.#actor, request))
      if (!answer) return [what, { error: 'the server never answered' }]
      return [what, answer.ok ? answer.value.rows : { error: answer.failure.message }]
    })
    return { at: isoTime(now()), ...Object.fromEntries(await Promise.all(read)) }
  }

  /** Over the reserved port where there is one: a server is captured just when it accepts no other connection. */
  #request(id: ServerId, what: ServerRead): ServerRequest | undefined {
    const { state } = this.#actor
    const server = effectServer(state, id)
    if (!server) return undefined
    const { spec, target, dialect, reservedPort, reservedHost = target.host } = server
    const isFull = findServer(state.snapshot, id)?.observation === 'rejected'
    const reached =
      isFull && reservedPort !== undefined
        ? { ...target, host: reservedHost, port: reservedPort, server: `${target.host}:${target.port}` }
        : target
    const from = {
      ...{ name: spec.name, target: reached, dialect, idle: true },
      statementMs: state.settings['monitoring-query-timeout'],
      limits: { processlist: MOST_SESSIONS },
    }
    return { server: id, what, from }
  }
}
