// One interface for every orchestrator: it creates, starts, stops and removes the services of a cluster.
import type { Result } from '../base/result.js'
import type { ReprovisionState, ServiceAction, ServiceSpec } from '../model/operation/services.js'
import type { ServerAddress } from '../model/server/server.js'
import type { Flavour } from '../model/server/version.js'
import type { FileSystem } from '../model/server/watched.js'

/** The parameters of an action besides its service. */
export interface Run {
  /** Stops it early; every action also has a deadline. */
  readonly signal: AbortSignal
  /** Receives one line of progress or of a program's output. */
  readonly log: (line: string) => void
  /** Overrides the checks that protect data: a data folder that the manager did not create. */
  readonly force: boolean
  /** A database starts as the first member of a Galera cluster. Only for orchestrators that have `forms`. */
  readonly first?: boolean
}

/** One action; already done counts as success, so that each can be repeated. Never throws. */
export type Act = (service: ServiceSpec, run: Run) => Promise<Result<void>>

/**
 * `provision`: creates the service from its configuration archive and starts it.
 * `start`: starts it, on its newest configuration where configured, and waits until it answers.
 * `stop`: stops it cleanly. `restart`: stops, starts and waits until it answers again.
 * `apply`: delivers the newest configuration; the running service is not interrupted.
 * `unprovision`: stops and removes it with its data.
 */
export interface Orchestrator extends Readonly<Record<ServiceAction, Act>> {
  readonly kind: string
  /** How a database is rebuilt and filled; absent where that is not possible. */
  readonly renewal?: Reprovision
  /** Actions are complete when they return; false: a flag is set and the host acts when it polls. */
  readonly acts: boolean
  /** What a host still has to do when the action has returned, as the result of its job; undefined where it is complete. */
  readonly left?: (service: ServiceSpec, action: ServiceAction) => string | undefined
  /** Whether an action would be carried out by anybody; absent where that shows when it acts. Nothing is changed. */
  readonly able?: (service: ServiceSpec, action: ServiceAction) => Promise<Result<void>>
  /** Whether its `start` can make a database the first member of a Galera cluster; none can when absent. */
  readonly forms?: () => Result<void>
  /** Whether data of a database are at its place already, running or not; absent where only the operator's scripts know. */
  readonly holds?: (service: ServiceSpec, signal: AbortSignal) => Promise<Result<boolean>>
  /** The end of a file on the service's host: the last `bytes` of it, or all of it. */
  readTail(service: ServiceSpec, request: TailRequest): Promise<Result<string>>
  /** The file system of each directory on the service's host, with the directory as its path; a missing directory is left out. */
  readFileSystems(service: ServiceSpec, request: FileSystemsRequest): Promise<Result<readonly FileSystem[]>>
  /** The option files of a database, in the order in which it reads them, without `my.cnf` itself. */
  readOptionFiles(service: ServiceSpec, signal: AbortSignal): Promise<Result<string>>
  /** Runs a script on the host of a database, beside other actions there; absent where no host is reached. */
  readonly runScript?: (service: ServiceSpec, script: HostScriptRun) => Promise<Result<HostScriptEnd>>
  /** How the service is run, as text for users. */
  describe(service: ServiceSpec): Promise<Result<string>>
  /** Closes what is kept open; services are not stopped. */
  close(): void
}

/**
 * A database rebuilt from its archive and filled from another one. Its old data are kept until `finish`, and `undo`
 * restores them whatever state the new ones are in. Every step can be repeated.
 */
export interface Reprovision {
  /** The progress of one that was started before. */
  probe(service: ServiceSpec, run: Run): Promise<Result<ReprovisionState>>
  /** Moves old data and configuration aside, complete; then starts an empty server from the newest archive. */
  begin(service: ServiceSpec, run: FillRun): Promise<Result<void>>
  /** Copies everything from the donor over the network, then starts the server on it. */
  fill(service: ServiceSpec, run: FillRun): Promise<Result<void>>
  /** Removes the old data. */
  readonly finish: Act
  /** Restores the old data with their configuration and starts the server; where none are kept, the server is only started. */
  readonly undo: Act
}

/** Further parameters of a fill: the donor, and the software of both. */
export interface FillRun extends Run {
  readonly donor: ServerAddress & { readonly flavour: Flavour }
}

/** The end of a folder's name with the old data while the new server is filled: `<datadir>.before-<time>`. */
export const BEFORE = '.before-'

/** The end of a folder's name with data that the manager neither restores nor removes: `<datadir>.kept-<time>`. */
export const KEPT = '.kept-'

/** A script for the host of a database. It gets the folders of the server and the account of the monitor besides. */
export interface HostScriptRun {
  readonly text: string
  /** Sent through standard input: no other user of the host sees it. */
  readonly environment: Readonly<Record<string, string>>
  readonly deadlineMs: number
  readonly signal: AbortSignal
  readonly onLine: (line: string) => void
}

export interface HostScriptEnd {
  readonly code: number
  readonly lastLines: readonly string[]
}

export interface FileSystemsRequest {
  readonly directories: readonly string[]
  readonly signal: AbortSignal
}

export interface TailRequest {
  /** Absolute path on the host. */
  readonly file: string
  readonly bytes: number
  readonly signal: AbortSignal
}

/** Folders beside `my.cnf`, in the order in which a server reads them: the generated files, then the overlays. */
export const optionFolders = ['rc.d', 'custom.d'] as const

/** The mark in a data folder that the manager created: without it, nothing is removed unless forced. */
export const DATA_MARK = '.made-by-manager'

/** `restart` of an orchestrator without a better way: stop, then start, which waits until the service answers. */
export const stopThenStart =
  ({ stop, start }: Pick<Orchestrator, 'stop' | 'start'>): Act =>
  async (service, run) => {
    const stopped = await stop(service, run)
    return stopped.ok ? start(service, run) : stopped
  }
