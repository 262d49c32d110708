// The face of the gateway: started by bin/ with the manager's face and the route rows.
export { type Gateway, startGateway } from './gateway.js'
export type { GatewayOptions, Limits, LiveOptions } from './kit/options.js'
