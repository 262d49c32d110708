// The drift of running servers: computed by checks, decided by users, stored in the files that their archives contain.
import path from 'node:path'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import {
  agreedValues,
  decideDrift,
  expectedOptions,
  findValues,
  judgeDrift,
  mergePreserved,
  noDrift,
  type Options,
  optionName,
  parseOptions,
  positionsIn,
  type RuleSet,
  runsOnGenerated,
  settleRecord,
  stillFound,
  withFound,
} from '../../../lib/configure/index.js'
import type { Finding } from '../../../lib/model/finding.js'
import type { ServerConfiguration } from '../../../lib/model/server/configuration.js'
import { addressText, type ServerAddress } from '../../../lib/model/server/server.js'
import type { Settings } from '../../../lib/settings/index.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import type { DriftQuestion, DriftRequest, DriftView } from '../../protocol/manager/configurator.js'
import { readSoftware } from '../configuration/software.js'
import { isBehind, serverDirectory } from '../delivery/needs.js'
import { editPreserved, type OverlayTexts, type PreservedTexts, readOverlays, writeKept } from './drift-files.js'
import { readDriftRecords, readOverlay, readPreserved, type ServerRecord, writeDriftRecords } from './drift-store.js'
import { findingsOf, pickDifferences, positionFindings, viewOf } from './drift-view.js'
import type { Member, Servers } from './servers.js'
import type { Note } from './tags.js'

export interface DriftParts {
  readonly servers: Servers
  readonly rules: RuleSet
  /** The content of archives has changed. */
  readonly changed: (cluster: string) => void
  readonly onFindings: (cluster: string) => void
  readonly log: Note
}

/** A server with everything needed to compute its drift. */
interface Case {
  readonly cluster: string
  readonly member: Member
  readonly settings: Settings
  readonly configuration: ServerConfiguration
  /** The values of the tags. */
  readonly byTags: Options
  /** With what a discovery found in place of them. */
  readonly expected: Options
  readonly record: ServerRecord
  readonly texts: PreservedTexts
  /** The content of its option files, where requested and readable. */
  readonly deployed?: Options
}

export class Drifts {
  readonly #parts: DriftParts
  readonly #findings = new Map<string, ReadonlyMap<string, readonly Finding[]>>()
  /** Work on one cluster's files, one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(parts: DriftParts) {
    this.#parts = parts
  }

  /**
   * Reads a server and computes its drift; the differences of a watched one are stored and shown as findings from then on.
   * The content of option files is only returned to users: the files may be on another host.
   */
  async check(question: DriftQuestion, { files }: { readonly files: boolean }): Promise<Result<DriftView>> {
    const deployed = files ? await this.#parts.servers.deployed(question) : undefined
    const checked = await this.#withServer(question, (opened) =>
      this.#judge({ ...opened, ...(deployed ? { deployed } : {}) }, opened.record),
    )
    if (!checked.ok) this.#noteUnread(question, checked.failure)
    return checked
  }

  async decide(request: DriftRequest): Promise<Result<DriftView>> {
    const deployed = await this.#parts.servers.deployed(request)
    return this.#withServer(request, async (opened) => {
      const decided = await this.#decideNow({ ...opened, ...(deployed ? { deployed } : {}) }, request)
      const { cluster, decision, variable, user } = request
      const fields = { cluster, server: opened.member.name, decision, variable, user }
      if (decided.ok) this.#parts.log('info', 'drift-decided', fields)
      else this.#parts.log('warn', 'drift-decided', { ...fields, refused: decided.failure.message })
      return decided
    })
  }

  /**
   * After a discovery: what each server runs with becomes what is expected of it, as long as the tags stay as they are. `watch`:
   * from now on also servers that do not run on a generated configuration are compared. A server that cannot be read keeps its record.
   */
  async adopt(cluster: string, { watch }: { readonly watch: boolean }): Promise<Result<void>> {
    for (const member of this.#parts.servers.members(cluster)) {
      const question = { cluster, server: member.id }
      const adopted = await this.#withServer(question, (opened) => this.#adoptOne(opened, watch))
      if (!adopted.ok && adopted.failure.code.startsWith('file-')) return adopted
      if (!adopted.ok) this.#noteUnread(question, adopted.failure)
    }
    return done
  }

  #adoptOne({ cluster, member, record, byTags, configuration }: Case, watch: boolean): Promise<Result<void>> {
    const found = findValues({ expected: byTags, server: configuration })
    const adopted = watch || record.adopted === true
    return this.#write({ cluster, member, record }, { ...noDrift, found, ...(adopted ? { adopted } : {}) })
  }

  /** Before a build: what was accepted against tags that have changed since is in no archive. */
  settle(cluster: string): Promise<Result<void>> {
    return this.#inTurn(cluster, async () => {
      const directory = this.#directory(cluster)
      if (!directory.ok) return done
      const records = await readDriftRecords(directory.value)
      if (!records.ok) return records
      const software = await readSoftware(directory.value)
      for (const [address, record] of Object.entries(records.value)) {
        const member = splitAddress(address)
        const runs = software[address]
        // A server that was removed, or that never reported its software.
        const subject = member && runs ? this.#parts.servers.subject(cluster, member, runs) : undefined
        if (!member || !subject?.ok) continue
        const settled = settleRecord(record, expectedOptions(this.#parts.rules, subject.value))
        if (settled === record) continue
        const written = await this.#write({ cluster, member, record }, settled)
        if (!written.ok) return written
      }
      return done
    })
  }

  /** Servers of the cluster that are watched although they do not run on a generated configuration, as `host:port`. */
  async adopted(cluster: string): Promise<ReadonlySet<string>> {
    const directory = this.#directory(cluster)
    const records = directory.ok ? await readDriftRecords(directory.value) : directory
    return new Set(records.ok ? Object.keys(records.value).filter((address) => records.value[address]?.adopted) : [])
  }

  /** The texts of custom.d of a server, and of the file for the whole cluster. */
  async overlays(cluster: string, member: Member): Promise<Result<OverlayTexts>> {
    const settings = this.#parts.servers.settings(cluster)
    return settings.ok ? readOverlays(this.#serverDirectory(cluster, member, settings.value)) : settings
  }

  async preserved(cluster: string): Promise<Result<string>> {
    const directory = this.#directory(cluster)
    return directory.ok ? readPreserved(directory.value) : directory
  }

  findings(cluster: string): readonly Finding[] {
    return [...(this.#findings.get(cluster)?.values() ?? [])].flat()
  }

  forget(cluster: string): void {
    this.#findings.delete(cluster)
    this.#turns.delete(cluster)
  }

  #inTurn<T>(cluster: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
    const turn = (this.#turns.get(cluster) ?? Promise.resolve()).then(work)
    this.#turns.set(
      cluster,
      turn.catch(() => undefined),
    )
    return turn
  }

  #directory(cluster: string): Result<string> {
    const settings = this.#parts.servers.settings(cluster)
    return settings.ok ? ok(path.join(settings.value['monitoring-datadir'], cluster)) : settings
  }

  /** Reads the server, which may take time, before it takes the lock of the files of its cluster. */
  async #withServer<T>(
    { cluster, server }: DriftQuestion,
    work: (opened: Case) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const { servers } = this.#parts
    const member = servers.members(cluster).find(({ id }) => id === server)
    if (!member) return fail('unknown-server', `${cluster} has no server ${server}`)
    const configuration = await servers.read(cluster, member)
    if (!configuration.ok) return configuration
    return this.#inTurn(cluster, async () => {
      const opened = await this.#open(cluster, member, configuration.value)
      return opened.ok ? work(opened.value) : opened
    })
  }

  async #open(cluster: string, member: Member, configuration: ServerConfiguration): Promise<Result<Case>> {
    const { servers, rules } = this.#parts
    const settings = servers.settings(cluster)
    if (!settings.ok) return settings
    const subject = servers.subject(cluster, member, configuration.identity)
    if (!subject.ok) return subject
    const directory = path.join(settings.value['monitoring-datadir'], cluster)
    const records = await readDriftRecords(directory)
    if (!records.ok) return records
    const own = await readOverlay(this.#serverDirectory(cluster, member, settings.value), '01_preserved')
    if (!own.ok) return own
    const everywhere = await readPreserved(directory)
    if (!everywhere.ok) return everywhere
    const record = records.value[addressText(member)] ?? noDrift
    const byTags = expectedOptions(rules, subject.value)
    return ok({
      ...{ cluster, member, settings: settings.value, configuration, byTags, record },
      expected: withFound(byTags, stillFound(record.found, byTags)),
      texts: { own: own.value, everywhere: everywhere.value },
    })
  }

  #serverDirectory = (cluster: string, member: ServerAddress, settings: Settings): string =>
    serverDirectory(settings['monitoring-datadir'], cluster, member)

  async #judge(given: Case, record: ServerRecord): Promise<Result<DriftView>> {
    const { cluster, member, settings, configuration, expected, byTags } = given
    const current = { ...record, found: stillFound(record.found, byTags) }
    const preservedText = mergePreserved(given.texts.everywhere, given.texts.own, member)
    const byFiles = parseOptions(preservedText)
    const bySetting = settings['prov-db-config-preserve-vars'].split(';').map((name) => optionName(name.trim()))
    const { differences, record: judged } = judgeDrift({
      ...{ expected, server: configuration, record: current, keeps: settings['prov-db-config-preserve'] },
      preserved: new Set([...byFiles.keys(), ...bySetting.filter((name) => name !== '')]),
      behind: await isBehind(this.#serverDirectory(cluster, member, settings)),
    })
    const watched = runsOnGenerated((name) => configuration.variables[name]) || record.adopted === true
    if (watched) {
      // What only a setting preserves is in no file of users.
      const alone = differences.filter(({ name, state }) => state === 'preserved' && !byFiles.has(name))
      const kept = Object.fromEntries(
        alone.map(({ name, expected: wanted, running = '' }) => [name, { value: running, expected: wanted }]),
      )
      const next = { ...judged, ...(record.adopted === undefined ? {} : { adopted: record.adopted }) }
      const written = await this.#write(given, next, { ...judged.undecided, ...kept })
      if (!written.ok) return written
    }
    const positions = positionFindings(member, positionsIn(preservedText))
    this.#note(cluster, member.id, [...positions, ...(watched ? findingsOf(member, differences) : [])])
    return ok({
      server: member.name,
      watched,
      differences: differences.map((each) => viewOf(each, configuration, given.deployed)),
    })
  }

  /** Writes the files of custom.d, then the record: a crash in between is repaired by the next check. */
  async #write(
    { cluster, member, record }: Pick<Case, 'cluster' | 'record'> & { readonly member: ServerAddress },
    next: ServerRecord,
    undecided = next.undecided,
  ): Promise<Result<void>> {
    const settings = this.#parts.servers.settings(cluster)
    if (!settings.ok) return settings
    const directory = this.#serverDirectory(cluster, member, settings.value)
    const kept = { undecided, before: agreedValues(record), agreed: agreedValues(next) }
    const written = await writeKept(directory, kept)
    if (!written.ok) return written
    if (written.value) this.#parts.changed(cluster)
    if (JSON.stringify(next) === JSON.stringify(record)) return done
    const folder = path.join(settings.value['monitoring-datadir'], cluster)
    const records = await readDriftRecords(folder)
    return records.ok ? writeDriftRecords(folder, { ...records.value, [addressText(member)]: next }) : records
  }

  async #decideNow(given: Case, request: DriftRequest): Promise<Result<DriftView>> {
    const seen = await this.#judge(given, given.record)
    if (!seen.ok) return seen
    const named = pickDifferences(
      seen.value.differences,
      request,
      parseOptions(`${given.texts.everywhere}\n${given.texts.own}`),
    )
    if (!named.ok) return named
    const { decision } = request
    const texts = await editPreserved(this.#serverDirectory(given.cluster, given.member, given.settings), {
      ...{ texts: given.texts, named: named.value, decision, everywhere: request.everywhere },
    })
    if (!texts.ok) return texts
    if (texts.value !== given.texts) this.#parts.changed(given.cluster)
    const base = { ...given.record, adopted: true }
    const record =
      decision === 'preserve'
        ? base
        : named.value.reduce<ServerRecord>(
            (sum, each) => ({ ...decideDrift(sum, each, decision), adopted: true }),
            base,
          )
    const decided = await this.#judge({ ...given, texts: texts.value }, record)
    if (decided.ok && decision === 'clear') {
      const cookies = { server: given.member.id, set: ['restart'] as const, clear: [] }
      await this.#parts.servers.ask(given.cluster, 'change-cookies', cookies)
    }
    return decided
  }

  #note(cluster: string, server: string, findings: readonly Finding[]): void {
    const before = this.#findings.get(cluster) ?? new Map<string, readonly Finding[]>()
    if (JSON.stringify(before.get(server) ?? []) === JSON.stringify(findings)) return
    this.#findings.set(cluster, new Map(before).set(server, findings))
    this.#parts.onFindings(cluster)
  }

  /** A server that is down keeps its last known drift. */
  #noteUnread(
    { cluster, server }: DriftQuestion,
    { code, message }: { readonly code: string; readonly message: string },
  ) {
    if (code !== 'sql-failed' && code !== 'file-unreadable' && code !== 'file-unwritable') return
    this.#note(cluster, server, [{ code: 'WARN0180', server, detail: message }])
  }
}
