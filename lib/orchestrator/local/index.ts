// The public interface of the local orchestrator.
export { createLocalOrchestrator } from './local.js'
export type { LocalOptions } from './process/options.js'
export { type Site, serverSite } from './process/site.js'
