// The face of the room: one supervisor for all actors, and what it writes down about their faults.
export type { CrashCause, CrashConsequence, CrashRecord } from './crash-record.js'
export { Supervisor, type SupervisorOptions, type ThreadReport } from './supervisor.js'
