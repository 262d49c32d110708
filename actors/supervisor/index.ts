// The public interface of the room: one supervisor for all actors, and its records of their faults.
export type { CrashCause, CrashConsequence, CrashRecord } from './crash-record.js'
export { Supervisor, type SupervisorOptions, type ThreadReport } from './supervisor.js'
