// Variables and plug-ins that changed on a server between two slow probes: logged, and given to the operator's script.
import {
  type Change,
  compareListings,
  listPlugins,
  listVariables,
  renderDiff,
  summarise,
} from '../../../lib/decide/watching/variable-changes.js'
import type { SlowReading } from '../../../lib/model/server/reading.js'
import { addressText, type ServerId } from '../../../lib/model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import { changeCall, type ScriptQueue } from '../../../lib/notify/index.js'
import { readWatchedVariables, writeWatchedVariables } from '../../../lib/store/index.js'
import type { Cluster } from '../state/message/cluster.js'
import { mayNotify } from '../state/step/observed.js'

/** A running cluster that notices changes and runs the operator's script. */
export interface Noticing extends Pick<Cluster, 'init' | 'state' | 'tell'> {
  readonly scripts: ScriptQueue
}

/** Changes that one line of the log names. */
const MOST_NAMED = 8

interface Seen {
  readonly variables: SlowReading['variables'] | undefined
  readonly variableLines: readonly string[] | undefined
  readonly plugins: SlowReading['plugins'] | undefined
}

export class ChangeWatch {
  readonly #actor: Noticing
  readonly #seen = new Map<ServerId, Seen>()
  /** One reading after the other: the first one waits for what an earlier life of the manager has kept. */
  #turn: Promise<void> = Promise.resolve()

  constructor(actor: Noticing) {
    this.#actor = actor
  }

  /** Compares a reading with the one before. */
  note(reading: SlowReading): void {
    const server = findServer(this.#actor.state.snapshot, reading.server)
    const { settings } = this.#actor.state
    const watches = settings['monitoring-variable-change'] || settings['monitoring-plugins']
    const before = this.#seen.get(reading.server)
    // Readings share what did not change.
    const isSame = before?.variables === reading.variables && before.plugins === reading.plugins
    if (server && watches && !isSame) this.#turn = this.#turn.then(() => this.#compare(server, reading))
  }

  /** What has been compared is on disk. */
  async close(): Promise<void> {
    await this.#turn
  }

  async #compare(server: ServerSnapshot, reading: SlowReading): Promise<void> {
    const { settings } = this.#actor.state
    const before = this.#seen.get(server.id)
    const variables = settings['monitoring-variable-change'] ? listVariables(reading.variables) : undefined
    const plugins = settings['monitoring-plugins'] && reading.plugins.length > 0 ? reading.plugins : undefined
    const known =
      before?.variableLines ?? (variables && (await readWatchedVariables(this.#actor.init.directory, server)))
    const changed = known && variables ? compareListings(known, variables) : []
    const added = before?.plugins && plugins ? compareListings(listPlugins(before.plugins), listPlugins(plugins)) : []
    this.#seen.set(server.id, { variables: reading.variables, variableLines: variables, plugins })
    if (variables && (known === undefined || changed.length > 0)) await this.#keep(server, variables)
    this.#report(server, 'Variables', changed)
    this.#report(server, 'Plug-ins', added)
    if (changed.length + added.length > 0) this.#run(server, [...changed, ...added])
  }

  async #keep(server: ServerSnapshot, lines: readonly string[]): Promise<void> {
    const written = await writeWatchedVariables(this.#actor.init.directory, server, lines)
    if (!written.ok) this.#actor.tell('noted', { level: 'ERROR', text: written.failure.message })
  }

  #report({ name }: ServerSnapshot, what: string, changes: readonly Change[]): void {
    if (changes.length === 0) return
    const text = `${what} of ${name} changed: ${summarise(changes, MOST_NAMED)}`
    this.#actor.tell('noted', { level: 'WARN', text })
  }

  #run(address: ServerSnapshot, changes: readonly Change[]): void {
    const { state, init, scripts } = this.#actor
    if (!mayNotify(state)) return
    const diff = renderDiff(addressText(address), changes)
    scripts.add(changeCall(state.settings['monitoring-variable-change-script'], { cluster: init.name, address, diff }))
  }
}
