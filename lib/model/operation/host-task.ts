// A host task: work on a database's own host, done there by the job script `dbjobs_new`.

/** What the script can do, by the names of the job table, of `needs/{task}` and of `write-log/{task}`. */
export const hostTasks = [
  ...['jobs-check', 'mariabackup', 'xtrabackup'],
  ...['reseedmariabackup', 'reseedxtrabackup', 'flashbackmariabackup', 'flashbackxtrabackup'],
  ...['reseedmysqldump', 'flashbackmysqldump'],
  ...['errorlog', 'slowquery', 'auditlog', 'sqlerrors'],
  ...['optimize', 'analyze', 'zfssnapback', 'stop', 'start', 'restart', 'print-defaults'],
] as const

export type HostTask = (typeof hostTasks)[number]

/** Other spellings that scripts of hosts use. */
const aliases: Readonly<Record<string, HostTask>> = {
  error: 'errorlog',
  sqlerrorlog: 'sqlerrors',
  flashbackmariadbackup: 'flashbackmariabackup',
}

/** Every name that a task goes by. */
export const hostTaskNames: readonly string[] = [...hostTasks, ...Object.keys(aliases)]

/** The task of a name; undefined for one that is not registered. */
export const hostTaskOf = (name: string): HostTask | undefined =>
  hostTasks.find((task) => task === name) ?? (Object.hasOwn(aliases, name) ? aliases[name] : undefined)

/** A state by its number in the job table: 0 requested, 1 running, 2 the script listens for a stream, 3 finished by the
 * script, 4 succeeded, 5 failed or cancelled, 6 its work afterwards failed. */
export type HostTaskState = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** Where the bytes of a task go to or come from. */
export interface HostStream {
  /** The manager's address as hosts reach it; `localhost`: where the session of the script comes from. */
  readonly host: string
  /** The manager's port; for a task that takes bytes the port on which the script listens. */
  readonly port: number
  /** The first line of the stream; valid once. */
  readonly secret: string
  /** PEM of the manager's certificate, the only one that the script accepts. */
  readonly certificate?: string
  /** Disk reads and writes a second of the tool (mariabackup `--throttle`); absent: without limit. */
  readonly throttle?: number
  /** Whether changes of tables wait until a copy is complete; absent: as the tool has it. */
  readonly lockDdl?: boolean
}

/** Which snapshot of a file system is meant. */
export interface HostSnapshot {
  /** The newest that was taken before this second, by the clock of the host; absent: the newest. */
  readonly before?: number
  /** The host names it, and changes nothing. */
  readonly only?: 'ask'
}

/** A row of the job table. */
export interface HostTaskRow {
  readonly id: number
  readonly task: string
  readonly port: number
  readonly server: string
  readonly done: boolean
  readonly state: HostTaskState
  readonly result: string
  /** Milliseconds since the epoch. */
  readonly startedAt?: number
  readonly endedAt?: number
  /** Seconds since `startedAt` by the clock of the server. */
  readonly age?: number
}

/** The job table of one server as last read. */
export interface HostTaskTable {
  /** By when they were made; of a table that could not be read this time, those of the last time. */
  readonly rows: readonly HostTaskRow[]
  /** Why the database, which answers, does not let the manager read it. */
  readonly refused?: string
}
