// Modules of the log: lines that say how something came about, switched on and bounded by settings of their own.
import type { Settings } from '../settings/table/index.js'
import type { LogLevel } from './event.js'

interface ModuleRow {
  /** Absent: the module cannot be switched off. */
  readonly on?: keyof Settings
  /** Verbosity: 0 none, 1 errors, 2 warnings, 3 events, 4 everything. */
  readonly level: keyof Settings
}

const modules = {
  task: { level: 'log-task-level' },
  sst: { on: 'log-sst', level: 'log-sst-level' },
  heartbeat: { on: 'log-heartbeat', level: 'log-heartbeat-level' },
  'writer-election': { on: 'log-writer-election', level: 'log-writer-election-level' },
  orchestrator: { on: 'log-orchestrator', level: 'log-orchestrator-level' },
  topology: { on: 'log-topology', level: 'log-topology-level' },
  proxy: { on: 'log-proxy', level: 'log-proxy-level' },
  'backup-stream': { on: 'log-backup-stream', level: 'log-backup-stream-level' },
  'binlog-purge': { level: 'log-binlog-purge-level' },
  graphite: { level: 'log-graphite-level' },
  git: { on: 'log-git', level: 'log-git-level' },
} as const satisfies Readonly<Record<string, ModuleRow>>

export type LogModule = keyof typeof modules

/** What an event counts as where it is neither an error nor a warning nor a detail. */
const EVENT = 3

const verbosities: Readonly<Partial<Record<LogLevel, number>>> = { ERROR: 1, WARN: 2, DEBUG: 4 }

/** Whether the settings want a line of this module. */
export function isModuleLogged(settings: Settings, module: LogModule, level: LogLevel): boolean {
  const row: ModuleRow = modules[module]
  if (row.on !== undefined && settings[row.on] === false) return false
  return (verbosities[level] ?? EVENT) <= Number(settings[row.level])
}
