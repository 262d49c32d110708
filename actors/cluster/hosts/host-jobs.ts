// Jobs on the hosts of databases that people and the schedule ask for: logs, statistics, log tables, runs of the job script.
import type { Asker } from '../../../lib/access/index.js'
import { keepLog, type LogTask, logTasks, runScript } from '../../../lib/backup/hosts/index.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, MINUTE, now } from '../../../lib/base/time.js'
import { isReachable } from '../../../lib/decide/situation/channel.js'
import { rotateLogTables } from '../../../lib/effect/upkeep/log-tables.js'
import { analyzeTables } from '../../../lib/effect/upkeep/optimize.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import type { HostJob } from '../../protocol/cluster/hosts.js'
import type { ClusterProtocol, JobTicket } from '../../protocol/cluster.js'
import { refuseChanges } from '../state/step/observed.js'
import type { Hosting, HostTasks } from './hosts.js'

interface JobRun {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

type Outcome = Result<string | undefined | void>

type Work = (run: JobRun) => Promise<Outcome>

/** The queue of the cluster's jobs. */
interface Queue {
  begin(request: {
    readonly service: ServiceSpec
    readonly task: HostJob
    readonly user: string
    readonly asker?: Asker | undefined
    readonly deadlineMs: number
    readonly order: Readonly<Record<string, unknown>>
    readonly attempt?: number
    readonly work: Work
  }): Result<{
    readonly job: Job
    readonly written: Promise<unknown>
    readonly ended: Promise<{ readonly job: Job; readonly result: Outcome }>
  }>
  redo(task: HostJob, work: (job: Job) => Promise<Result<unknown>>): void
}

/** `attempt`: how often it was begun again before. */
type Asked = ClusterProtocol['begin-host-job']['in'] & { readonly attempt?: number }

export interface HostJobParts extends Hosting {
  readonly hosts: HostTasks
  readonly queue: Queue
}

/** Longest duration of each, milliseconds. */
const deadlines: Readonly<Record<HostJob, number>> = {
  'run-jobs': 12 * HOUR,
  logs: 15 * MINUTE,
  'backup-error-log': 15 * MINUTE,
  'backup-slowquery-log': 15 * MINUTE,
  analyze: 12 * HOUR,
  'log-tables': 15 * MINUTE,
}

export class HostJobs {
  readonly #actor: HostJobParts

  constructor(actor: HostJobParts) {
    this.#actor = actor
    for (const task of Object.keys(deadlines) as HostJob[])
      actor.queue.redo(task, async ({ user, asker, service, attempt }) =>
        this.begin({ user, asker, server: service, task, wait: false, ...(attempt === undefined ? {} : { attempt }) }),
      )
  }

  /** On every server that answers; one whose job of before is not ended is left to it. Failure: what did not begin, and why. */
  async beginOnAll(task: HostJob, user: string): Promise<Result<void>> {
    const refusal = refuseChanges(this.#actor.state)
    if (refusal) return refusal
    const servers = this.#actor.state.snapshot.servers.filter(isReachable)
    const able = servers.filter(({ id }) => task !== 'run-jobs' || this.#actor.hosts.reach(id)?.session)
    const begun = await Promise.all(able.map(({ id }) => this.begin({ user, server: id, task, wait: false })))
    const failures = begun.flatMap((each, index) =>
      each.ok || each.failure.code === 'operation-running' ? [] : [{ ...each.failure, name: able[index]?.name }],
    )
    const [first] = failures
    return first ? fail(first.code, failures.map(({ name, message }) => `${name}: ${message}`).join('; ')) : done
  }

  /** Failures: `unknown-server`, those of the queue, and with `wait` those of the job. */
  async begin({ user, asker, server, task, wait, attempt }: Asked): Promise<Result<JobTicket>> {
    const service = this.#actor.hosts.reach(server)?.service
    if (!service) return fail('unknown-server', `${this.#actor.init.name} has no server ${server}`)
    const begun = this.#actor.queue.begin({
      ...{ service, task, user, asker, deadlineMs: deadlines[task], order: {} },
      ...(attempt === undefined ? {} : { attempt }),
      work: this.#work(task, service),
    })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job })
    const { job, result } = await begun.value.ended
    return result.ok ? ok({ job }) : result
  }

  #work(task: HostJob, service: ServiceSpec): Work {
    const { settings } = this.#actor.state
    switch (task) {
      case 'run-jobs':
        return (run) => this.#runScript(service, run)
      case 'analyze':
        return settings['scheduler-jobs-exec-remote'] === 'analyze'
          ? (run) => this.#remote(service, 'analyze', run)
          : (run) => this.#withTarget(service, (target) => analyzeTables(target, run))
      case 'log-tables':
        return (run) =>
          this.#withTarget(service, (target) =>
            rotateLogTables(target, { ...run, keep: settings['scheduler-db-servers-logs-table-keep'] }),
          )
      case 'backup-error-log':
        return (run) => this.#ship(service, ['errorlog'], run)
      case 'backup-slowquery-log':
        return (run) => this.#ship(service, ['slowquery'], run)
      case 'logs':
        return (run) => this.#ship(service, logTasks, run)
    }
  }

  #withTarget(
    { id, name }: ServiceSpec,
    work: (target: Parameters<typeof analyzeTables>[0]) => Promise<Outcome>,
  ): Promise<Outcome> {
    const reach = this.#actor.hosts.reach(id)
    return reach ? work(reach.target) : Promise.resolve(fail('unknown-server', `${name} is no server any more`))
  }

  /** The script works off the job table of the host now. */
  async #runScript({ id, name }: ServiceSpec, run: JobRun): Promise<Result<void>> {
    const reach = this.#actor.hosts.reach(id)
    if (!reach?.session)
      return fail(
        'unsupported',
        `${name}: its host is not reached over SSH and runs the job script itself; set scheduler-jobs-ssh and onpremise-ssh`,
      )
    return runScript(reach, { ...run, deadlineMs: deadlines['run-jobs'] })
  }

  async #remote({ id }: ServiceSpec, task: 'analyze', run: JobRun): Promise<Result<void>> {
    const ended = await this.#actor.hosts.request(id, { task, deadlineMs: deadlines[task] }, run)
    return ended.ok ? done : ended
  }

  /** One log after the other; one that cannot be sent does not keep the others. */
  async #ship(service: ServiceSpec, tasks: readonly LogTask[], run: JobRun): Promise<Result<string>> {
    const failures: string[] = []
    let bytes = 0
    for (const task of tasks) {
      if (run.signal.aborted) break
      const sent = await this.#shipOne(service, task, run)
      if (sent.ok) bytes += sent.value
      else failures.push(`${task}: ${sent.failure.message}`)
    }
    if (failures.length > 0) return fail('host-task-failed', failures.join('; '))
    return ok(`${bytes} bytes of ${tasks.length} logs were sent`)
  }

  async #shipOne(service: ServiceSpec, task: LogTask, run: JobRun): Promise<Result<number>> {
    const parts: Buffer[] = []
    let place: string | undefined
    const log = (line: string) => {
      place = /^log: (\/.*)$/.exec(line)?.[1] ?? place
      run.log(line)
    }
    const ended = await this.#actor.hosts.request(
      service.id,
      { task, deadlineMs: deadlines['backup-error-log'] },
      { signal: run.signal, log, data: (bytes) => parts.push(bytes) },
    )
    if (!ended.ok) return ended
    for (const line of ended.value.lines) place = /^log: (\/.*)$/.exec(line)?.[1] ?? place
    const bytes = Buffer.concat(parts)
    const kept = await keepLog(this.#actor.hosts.directoryOf(service), task, {
      ...{ bytes, at: now() },
      ...(place === undefined ? {} : { place }),
    })
    return kept.ok ? ok(bytes.length) : kept
  }
}
