// The mode of every kind of file and folder that the manager writes: what it holds and who reads it. No writer has a mode of its own.

/** A kind of file or folder. */
export interface FileKind {
  /** Permissions: what a writer gives, less the umask of the process. */
  readonly mode: number
  readonly holds: string
  /** Who reads it, and why no narrower mode serves where others of the machine may. */
  readonly readers: string
  /** It has secrets or rows of data: nothing of it is for users outside the group of the manager. */
  readonly isSecret: boolean
}

const manager = 'the manager'
const group = 'the manager, users of its group'

/** By name. A file that does not fit in one of these has a row of its own. */
export const fileKinds = {
  key: {
    ...{ mode: 0o600, isSecret: true, readers: 'the program that uses it: the manager, a database, a proxy' },
    holds: 'keys: of secrets, of backups, of certificates, of requests of agents and licences',
  },
  login: {
    ...{ mode: 0o600, isSecret: true, readers: 'the manager, and programs that it starts' },
    holds: 'options with an account, for a program that logs in on its own',
  },
  token: {
    ...{ mode: 0o600, isSecret: true, readers: 'the user of the client' },
    holds: 'tokens of the client, names for its completion',
  },
  configuration: {
    ...{ mode: 0o600, isSecret: true, readers: 'the user that made it' },
    holds: 'configuration files that a command makes (`import`, `demo`), with passwords',
  },
  archive: {
    ...{ mode: 0o600, isSecret: true, readers: 'the user that made it' },
    holds: 'what a command stores for its user: the state (`backup-state`), downloads (`--file`)',
  },
  state: {
    ...{ mode: 0o600, isSecret: true, readers: manager },
    holds: 'what is kept over a restart: settings, journal, jobs, recordings, timelines, alerts, tokens as hashes',
  },
  rows: {
    ...{ mode: 0o600, isSecret: true, readers: 'the manager, and programs that it starts' },
    holds: 'rows of tables outside of backups: ends of binary logs, statements that undo them, unpacked dumps and logs',
  },
  audit: {
    ...{ mode: 0o600, isSecret: true, readers: manager },
    holds: '`security.log`: names and addresses of logins',
  },
  backup: {
    ...{ mode: 0o640, isSecret: true, readers: `${group}, such as a program that copies them elsewhere` },
    holds: 'stored backups and binary logs',
  },
  log: {
    ...{ mode: 0o640, isSecret: true, readers: `${group}, such as a program that collects logs` },
    holds: 'the log file, output of databases and proxies of the manager, and of the demo',
  },
  list: {
    ...{ mode: 0o640, isSecret: false, readers: group },
    holds: 'lists of metrics that are sent or left out',
  },
  mark: {
    ...{ mode: 0o640, isSecret: false, readers: group },
    holds: 'flags of servers, process ids, states of proxies',
  },
  generated: {
    ...{
      mode: 0o644,
      isSecret: false,
      readers: 'a database, which has a system user of its own, and its client programs',
    },
    holds: 'options of databases and proxies without a password, what users keep in `custom.d`',
  },
  certificate: {
    ...{
      mode: 0o644,
      isSecret: false,
      readers: 'a database, which has a system user of its own, and programs that verify it',
    },
    holds: 'certificates, public keys, licences',
  },
  program: {
    ...{ mode: 0o755, isSecret: false, readers: 'everyone: what is installed' },
    holds: 'programs of packages and of configuration archives',
  },
  packaged: {
    ...{ mode: 0o644, isSecret: false, readers: 'everyone: what is installed' },
    holds: 'files of packages and of releases',
  },
  link: {
    ...{ mode: 0o777, isSecret: false, readers: 'everyone: the mode of what it leads to counts' },
    holds: 'links in configuration archives',
  },
} as const satisfies Readonly<Record<string, FileKind>>

/** By name. */
export const folderKinds = {
  scratch: {
    ...{ mode: 0o700, isSecret: true, readers: 'the manager, and programs that it starts' },
    holds: 'one piece of work: logins, rows; tokens of the client, keys of servers, the clone of the repository',
  },
  workingFolder: {
    ...{ mode: 0o750, isSecret: true, readers: group },
    holds: '`monitoring-datadir`, backups, stored binary logs',
  },
  stateFolder: {
    ...{
      mode: 0o751,
      isSecret: false,
      readers: `${group}; others do not list it, but pass: a database with a system user of its own (\`prov-local-user\`) reads its options below`,
    },
    holds: 'folders of clusters and of servers, and what is below them; each file in them has a mode of its own',
  },
  dataFolder: {
    ...{ mode: 0o750, isSecret: true, readers: 'a database, users of its group' },
    holds: 'the folders of a database below `.system`',
  },
  shared: {
    ...{
      mode: 0o755,
      isSecret: false,
      readers: 'a database, which has a system user of its own: its socket, options and certificates',
    },
    holds:
      'folders of configuration archives, of the process of a database, of templates; each secret in them has a closed mode of its own',
  },
  packageFolder: {
    ...{ mode: 0o755, isSecret: false, readers: 'everyone: what is installed' },
    holds: 'folders of packages',
  },
} as const satisfies Readonly<Record<string, FileKind>>

const kinds = { ...fileKinds, ...folderKinds }

export type KindName = keyof typeof kinds

interface HostWrite {
  /** Below share/scripts. */
  readonly script: string
  readonly kind: KindName
  readonly holds: string
}

/** What the scripts of hosts give a mode: a shell takes none from here, a spec compares them. */
export const hostWrites: readonly HostWrite[] = [
  { script: 'configurator/database.sh', kind: 'login', holds: 'statements that make the first accounts' },
  { script: 'configurator/place.sh', kind: 'shared', holds: 'folders of the configuration' },
  { script: 'configurator/place.sh', kind: 'dataFolder', holds: 'folders of the data' },
  { script: 'jobs/copies.sh', kind: 'generated', holds: 'the option `read_only` of the first start on a copy' },
  { script: 'jobs/copies.sh', kind: 'dataFolder', holds: 'the data folder that a copy is moved to' },
]

/** Scripts of hosts that write files without a mode of their own, and the umask that they set for these. */
export const hostUmasks: Readonly<Record<string, { readonly umask: string; readonly why: string }>> = {
  'configurator/base.sh': {
    umask: '022',
    why: 'options that a database reads; logins and keys are in a folder of the mode 0700 that is removed at the end',
  },
  'jobs/base.sh': { umask: '077', why: 'logins, keys of a stream, parts of logs' },
  'onpremise/host.sh': { umask: '077', why: 'a copy of the configuration with its keys' },
}

/** The mode of a file or folder of this kind. */
export const modeOf = (kind: KindName): number => kinds[kind].mode

/** At most this much of the mode that a rule gives a generated file stays where the file names a password. */
export const closedMode = (mode: number): number => mode & ~OTHERS

const ALL = 0o777
const OTHERS = 0o007
const GROUP = 0o070
const OTHERS_READ = 0o004
const NOT_OWNER_WRITE = 0o022
const OWNER_EXECUTE = 0o100

/** Permissions alone, without the kind of file. */
export const permissionsOf = (mode: number): number => mode & ALL

/** As `chmod` takes them. */
export const printMode = (mode: number): string => permissionsOf(mode).toString(8)

/** What both give: parts of one file have its narrowest mode. */
export const narrowestMode = (modes: readonly number[]): number => modes.reduce((all, each) => all & each, ALL)

/** Users outside of its group have some permission. */
export const isOpenToOthers = (mode: number): boolean => (mode & OTHERS) !== 0

/** Users outside of its group may read it. */
export const isReadByOthers = (mode: number): boolean => (mode & OTHERS_READ) !== 0

/** Its owner alone has a permission. */
export const isOwnersAlone = (mode: number): boolean => (mode & (GROUP | OTHERS)) === 0

/** Another user than its owner may change it. */
export const isWrittenByOthers = (mode: number): boolean => (mode & NOT_OWNER_WRITE) !== 0

export const isExecutable = (mode: number): boolean => (mode & OWNER_EXECUTE) !== 0
