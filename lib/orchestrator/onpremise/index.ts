// The face of the on-premise orchestrator.
export { createOnPremiseOrchestrator } from './onpremise.js'
export type { BuiltInScript, OnPremiseOptions } from './options.js'
