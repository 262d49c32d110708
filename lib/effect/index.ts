// The executor's face: performs commands on real servers, proxies and files, and runs plans of them under a journal.
export type { EffectContext, EffectSettings } from './context.js'
export { createPerform, defaultLimits, type Perform } from './perform.js'
export { type PlanRun, runPlan } from './run-plan.js'
export { tailDirectory } from './save-tail.js'
export type { EffectServer } from './server.js'
export { createSessions, type Sessions } from './sessions.js'
