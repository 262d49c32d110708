// One face for every orchestrator: what makes, starts, stops and removes the services of a cluster.
import type { Result } from '../base/result.js'
import type { ServerAddress } from '../model/server/server.js'
import type { Flavour } from '../model/server/version.js'
import type { RenewalState, ServiceAction, ServiceSpec } from '../model/work/services.js'

/** What an action is given besides its service. */
export interface Run {
  /** Ends it early; every action has a deadline of its own as well. */
  readonly signal: AbortSignal
  /** Takes one line of what is being done or of what a program says. */
  readonly log: (line: string) => void
  /** Goes over what would be refused to keep data: a data folder that the manager did not make. */
  readonly force: boolean
  /** A database starts as the first member of a Galera cluster. Only those that have `forms` know how. */
  readonly first?: boolean
}

/** One action; done already is success, so that each can be repeated. Never throws. */
export type Act = (service: ServiceSpec, run: Run) => Promise<Result<void>>

/**
 * `provision`: makes the service from its configuration archive and starts it.
 * `start`: starts it, on its newest configuration where that is wanted, and waits until it answers.
 * `stop`: stops it cleanly. `restart`: stops, starts and waits until it answers again.
 * `apply`: delivers the newest configuration; what runs goes on running.
 * `unprovision`: stops and removes it with its data.
 */
export interface Orchestrator extends Readonly<Record<ServiceAction, Act>> {
  readonly kind: string
  /** How a database is made anew and filled; absent where that cannot be done. */
  readonly renewal?: Renewal
  /** Actions are carried out when they answer; false: a flag is set and the host acts when it asks for it. */
  readonly acts: boolean
  /** Whether its `start` can make a database the first member of a Galera cluster; none can when absent. */
  readonly forms?: () => Result<void>
  /** The end of a file on the service's host: the last `bytes` of it, or all of it. */
  readTail(service: ServiceSpec, request: TailRequest): Promise<Result<string>>
  /** The option files that a database starts on, one after the other as it reads them; `my.cnf` itself aside. */
  readOptionFiles(service: ServiceSpec, signal: AbortSignal): Promise<Result<string>>
  /** How the service is run, as text for people. */
  describe(service: ServiceSpec): Promise<Result<string>>
  /** Ends what is kept open; services go on. */
  close(): void
}

/**
 * A database made anew from its archive and filled from another one. Its old data lie aside until `finish`, and `undo`
 * puts them back whatever state the new ones are in. Every act can be repeated.
 */
export interface Renewal {
  /** How far one is that was begun before. */
  look(service: ServiceSpec, run: Run): Promise<Result<RenewalState>>
  /** Old data and configuration aside, complete; then an empty server from the newest archive that answers. */
  begin(service: ServiceSpec, run: FillRun): Promise<Result<void>>
  /** Copies everything from the donor over the network, then starts the server on it. */
  fill(service: ServiceSpec, run: FillRun): Promise<Result<void>>
  /** Removes the old data. */
  readonly finish: Act
  /** The old data on the configuration that they ran on, started; where none lie aside, the server is only started. */
  readonly undo: Act
}

/** What fills a server is told besides: from whom, and what both run. */
export interface FillRun extends Run {
  readonly donor: ServerAddress & { readonly flavour: Flavour }
}

/** The end of a folder's name where old data lie while the new server is filled: `<datadir>.before-<time>`. */
export const BEFORE = '.before-'

/** The end of a folder's name where data lie that nothing here puts back or removes: `<datadir>.kept-<time>`. */
export const KEPT = '.kept-'

export interface TailRequest {
  /** Absolute path on the host. */
  readonly file: string
  readonly bytes: number
  readonly signal: AbortSignal
}

/** Folders beside `my.cnf`, in the order in which a server reads them: what the tags say, then the overlays. */
export const optionFolders = ['rc.d', 'custom.d'] as const

/** The mark in a data folder that says the manager made it: without it, nothing is removed unless forced. */
export const DATA_MARK = '.made-by-manager'

/** `restart` of an orchestrator that has no better way: stop, then start, which waits until the service answers. */
export const stopThenStart =
  ({ stop, start }: Pick<Orchestrator, 'stop' | 'start'>): Act =>
  async (service, run) => {
    const stopped = await stop(service, run)
    return stopped.ok ? start(service, run) : stopped
  }
