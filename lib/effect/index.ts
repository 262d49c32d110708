// The executor's face: performs commands on real servers, proxies and files, and runs plans of them under a journal.
export type { SqlTarget, SqlTls, TlsFiles } from '../connect/sql/session.js'
export { readTls } from '../connect/sql/tls-files.js'
export type { EffectContext, EffectSettings } from './kit/context.js'
export type { EffectServer } from './kit/server.js'
export { createSessions, type Sessions } from './kit/sessions.js'
export { createPerform, defaultLimits, type Perform } from './plan/perform.js'
export { type PlanRun, runPlan } from './plan/run-plan.js'
export { tailDirectory } from './replica/save-tail.js'
