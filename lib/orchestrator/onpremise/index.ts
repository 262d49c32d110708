// The public interface of the on-premise orchestrator.
export { createOnPremiseOrchestrator } from './onpremise.js'
export type { BuiltInScript, HostPart, OnPremiseOptions } from './options.js'
