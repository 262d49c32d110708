// Further variables of databases: paths of the system tree, fixed figures, other names, and names without a value.
import type { Variable, VariableInput } from './variable.js'

const prefix = 'SVC_CONF_ENV_'

const inTree = (meaning: string, path: string): Variable => ({
  meaning: `${meaning}; in the system tree.`,
  scope: 'place',
  compute: ({ paths }) => `${paths.systemDir}/${path}`,
})

/** Folders of files other than tables. */
export const pathRows: Readonly<Record<string, Variable>> = {
  [`${prefix}MYSQL_TMPDIR`]: inTree('Folder of temporary files', 'tmp'),
  [`${prefix}MYSQL_SLAVE_LOAD_TMPDIR`]: inTree('Folder of temporary files of replication', 'tmp'),
  [`${prefix}MYSQL_LOG_ERROR`]: inTree('Error log', 'logs/error.log'),
  [`${prefix}MYSQL_SLOW_QUERY_LOG_FILE`]: inTree('Log of slow queries', 'logs/slow-query.log'),
  [`${prefix}MYSQL_GENERAL_LOG_FILE`]: inTree('Log of all queries', 'logs/general.log'),
  [`${prefix}MYSQL_INNODB_LOG_GROUP_HOME_DIR`]: inTree('Folder of the redo log', 'innodb/redo'),
  [`${prefix}MYSQL_INNODB_UNDO_DIRECTORY`]: inTree('Folder of undo tablespaces', 'innodb/undo'),
  [`${prefix}MYSQL_LOG_BIN`]: inTree('Binary logs, without number', 'repl/binlog'),
  [`${prefix}MYSQL_LOG_BIN_INDEX`]: inTree('List of binary logs', 'repl/binlog.index'),
  [`${prefix}MYSQL_RELAY_LOG`]: inTree('Relay logs, without number', 'repl/relay'),
  [`${prefix}MYSQL_RELAY_LOG_INDEX`]: inTree('List of relay logs', 'repl/relay.index'),
  [`${prefix}MYSQL_ARIA_LOG_DIR_PATH`]: inTree('Folder of the log of Aria', 'aria'),
  AUDIT_LOG: inTree('Log of server_audit', 'logs/server_audit.log'),
  SQL_ERROR_LOG: inTree('Log of sql_error_log', 'logs/sql_errors.log'),
  [`${prefix}MYSQL_INNODB_DATA_HOME_DIR`]: {
    meaning: 'Folder of the system tablespace: the data folder.',
    scope: 'place',
    compute: ({ paths }) => paths.dataDir,
  },
}

const poolMb = ({ memory }: VariableInput): number => memory.figures.innodbBufferPool.kb / 1024

const fixed = (meaning: string, value: number): Variable => ({
  meaning: `${meaning}: ${value}.`,
  scope: 'resources',
  compute: () => `${value}`,
})

const pieces = (meaning: string, mb: (input: VariableInput) => number): Variable => ({
  meaning: `${meaning}: one, and one more for every 8000 MB, 64 at most.`,
  scope: 'resources',
  compute: (input) => `${Math.min(64, Math.floor(mb(input) / 8000) + 1)}`,
})

export const figureRows: Readonly<Record<string, Variable>> = {
  [`${prefix}MYISAM_CACHE_SEGMENTS`]: pieces(
    'Parts of the key cache of MyISAM',
    ({ memory }) => memory.figures.myisamKeys.kb / 1024,
  ),
  [`${prefix}INNODB_BUFFER_POOL_INSTANCES`]: pieces('Parts of the buffer pool, where a version has such', poolMb),
  [`${prefix}INNODB_MAX_DIRTY_PAGE_PCT`]: fixed('Most changed pages in the buffer pool, percent', 40),
  [`${prefix}INNODB_MAX_DIRTY_PAGE_PCT_LWM`]: fixed('Changed pages from which writing begins, percent', 20),
  [`${prefix}INNODB_PURGE_THREADS`]: fixed('Threads that remove old versions of rows', 4),
  [`${prefix}INNODB_LRU_FLUSH_SIZE`]: fixed('Pages scanned when free ones are needed', 1024),
}

/** The same under another name. */
export const otherNames: Readonly<Record<string, string>> = {
  NODES_CPU_CORES: `${prefix}MAX_CORES`,
  [`${prefix}CRC32_ID`]: `${prefix}SERVER_ID`,
  [`${prefix}MAX_MEM`]: `${prefix}INNODB_BUFFER_POOL_SIZE`,
  [`${prefix}INNODB_CACHE_SIZE`]: `${prefix}INNODB_BUFFER_POOL_SIZE`,
  [`${prefix}IBPINSTANCES`]: `${prefix}INNODB_BUFFER_POOL_INSTANCES`,
  [`${prefix}CHECKPOINTIOPS`]: `${prefix}INNODB_IO_CAPACITY`,
  [`${prefix}MAX_IOPS`]: `${prefix}INNODB_IO_CAPACITY_MAX`,
  [`${prefix}SST_METHOD`]: `${prefix}WSREP_SST_METHOD`,
  [`${prefix}GROUP_REPLICATION_LOCAL_ADDRESS`]: `${prefix}GROUP_LOCAL_ADDRESS`,
  ERROR_LOG: `${prefix}MYSQL_LOG_ERROR`,
  SLOW_LOG: `${prefix}MYSQL_SLOW_QUERY_LOG_FILE`,
  BINARY_LOG_NAME: `${prefix}MYSQL_LOG_BIN`,
  SVC_NAMESPACE: 'CLUSTER_NAME',
  SVC_NAME: 'SERVER_HOST',
  HOST_NAME: 'SERVER_HOST',
  HOST_PORT: 'SERVER_PORT',
}

/** Names that external rules may use and that have no value here, with the alternative. */
export const absentNames: Readonly<Record<string, string>> = {
  [`${prefix}MYSQL_ROOT_USER`]: 'an archive carries no account: the job script logs in over the socket',
  [`${prefix}MYSQL_ROOT_PASSWORD`]: 'an archive carries no password: the job script logs in over the socket',
  [`${prefix}MYSQL_CLIENT_BASEDIR`]: 'programs are found by the path of the system',
  [`${prefix}GROUP_REPLICATION_WHITELIST`]: 'group replication takes the addresses of its network automatically',
  SST_RECEIVER_PORT: 'copies are received on a port that the job chooses',
  JOBS_DATADIR: 'the job script keeps its files in a temporary folder',
  LOG_ROTATE_MAX_AGE: 'logs are rotated by the job script on request',
  URL_HOST: 'a host gets the address of the manager in its environment: MANAGER_URL',
  URL_PORT: 'a host gets the address of the manager in its environment: MANAGER_URL',
  GENLINE: 'write the marker itself: # Generated by manager',
}
