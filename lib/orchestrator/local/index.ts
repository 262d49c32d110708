// The face of the local orchestrator.
export { createLocalOrchestrator } from './local.js'
export type { LocalOptions } from './options.js'
export { type Site, serverSite } from './site.js'
