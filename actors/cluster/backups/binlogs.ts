// The storing of binary logs of a cluster: begun and ended by its setting, pointed at the primary.

import { logsDirectory } from '../../../lib/backup/binlog/term.js'
import { LogCollector } from '../../../lib/backup/storing/collector.js'
import { fetchByScript, fetchOverSession } from '../../../lib/backup/storing/fetch-file.js'
import type { LogSource, StoringReport, StoringSettings } from '../../../lib/backup/storing/storing-state.js'
import { disclose } from '../../../lib/backup/stream/index.js'
import { targetKey } from '../../../lib/effect/kit/server.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { findServer } from '../../../lib/model/snapshot.js'
import type { ScriptQueue } from '../../../lib/notify/index.js'
import type { HostTasks } from '../hosts/hosts.js'
import type { Cluster } from '../state/message/cluster.js'
import { targetOf } from '../state/message/wires.js'
import { refuseBesideRival } from '../state/step/observed.js'
import { storingSettings } from './storing-settings.js'

/** A running cluster whose binary logs can be stored. */
export interface StoringLogs extends Pick<Cluster, 'init' | 'state' | 'tell'> {
  readonly scripts: ScriptQueue
  readonly hosts: Pick<HostTasks, 'reach'>
}

export class LogWatch {
  readonly #actor: StoringLogs
  #collector: LogCollector | undefined
  #closing: Promise<void> = Promise.resolve()
  #ending = new AbortController()
  #configured = ''
  #followed = ''

  constructor(actor: StoringLogs) {
    this.#actor = actor
  }

  /** Where the logs of this cluster are stored. */
  get directory(): string {
    return logsDirectory(this.#actor.state.settings['monitoring-datadir'], this.#actor.init.name)
  }

  /**
   * As the settings and the snapshot say now; cheap when nothing has changed. Beside another manager that acts nothing is read and
   * nothing is copied elsewhere: with one configuration both read under the same server_id, of which the primary ends one, and copy
   * to the same place.
   */
  align(): void {
    const { settings } = this.#actor.state
    if (!settings['backup-binlogs'] || refuseBesideRival(this.#actor.state)) {
      if (this.#collector) void this.close()
      return
    }
    const wanted = storingSettings(this.#actor.state, { cluster: this.#actor.init.name, directory: this.directory })
    const configured = JSON.stringify(disclose(wanted))
    if (!this.#collector) this.#begin(wanted)
    else if (configured !== this.#configured) this.#collector.configure(wanted)
    this.#configured = configured
    const source = this.#source()
    const followed = source === undefined ? '' : JSON.stringify({ ...source, target: targetKey(source.target) })
    // While no primary is known the former one is read as long as it answers.
    if (source && followed !== this.#followed) this.#collector?.follow(source)
    if (source) this.#followed = followed
  }

  /** Resolves when everything received is written. */
  async close(): Promise<void> {
    const collector = this.#collector
    this.#collector = undefined
    this.#followed = ''
    this.#ending.abort()
    if (!collector) return this.#closing
    this.#closing = collector.close().then(() => this.#actor.tell('observed-logs', {}))
    return this.#closing
  }

  #begin(wanted: StoringSettings): void {
    this.#followed = ''
    this.#ending = new AbortController()
    this.#collector = new LogCollector(wanted, (report) => this.#take(report))
  }

  #source(): LogSource | undefined {
    const { snapshot } = this.#actor.state
    const primary = findServer(snapshot, snapshot.primary)
    if (!primary?.state) return undefined
    const { flavour, versionText } = primary.state.identity
    return { id: primary.id, target: targetOf(primary, this.#actor.state), flavour, version: versionText }
  }

  #take(report: StoringReport): void {
    if (report.type === 'state') this.#actor.tell('observed-logs', { storage: report.state })
    if (report.type === 'line')
      this.#actor.tell('noted', { level: report.level, text: report.text, module: 'backup-stream' })
    if (report.type === 'fetch') void this.#fetch(report)
    if (report.type === 'rotated') this.#callScript(report.server, report)
  }

  /** A file of a host, by the way of the settings. */
  async #fetch({ id, server, from, to }: Extract<StoringReport, { type: 'fetch' }>): Promise<void> {
    const collector = this.#collector
    const { state, init, hosts } = this.#actor
    const { settings, snapshot } = state
    const place = findServer(snapshot, server)
    const reach = hosts.reach(server)
    if (!collector || !place || !reach) return collector?.fetched(id, `${server} is no server of the cluster`)
    const request = { from, to, signal: this.#ending.signal }
    const got =
      settings['binlog-copy-mode'] === 'ssh'
        ? await fetchOverSession(reach, request)
        : await fetchByScript({
            ...{ ...request, script: settings['binlog-copy-script'], cluster: init.name },
            ...{ host: place.host, port: place.port, sshPort: settings['onpremise-ssh-port'] },
          })
    collector.fetched(id, got.ok ? undefined : got.failure.message)
  }

  #callScript(id: ServerId, { file, previous, oldest }: Extract<StoringReport, { type: 'rotated' }>): void {
    const server = findServer(this.#actor.state.snapshot, id)
    const script = this.#actor.state.settings['binlog-rotation-script']
    if (!server || script === '') return
    const args = [this.#actor.init.name, server.host, String(server.port), file, previous, oldest]
    this.#actor.scripts.add({ script, args })
  }
}
