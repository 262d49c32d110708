// The face of the client of the API, as users import it: `manager/client`.

export { requestOf, type Values } from './address.js'
export { type Answer, type CallTraits, type Client, type ClientOptions, createClient } from './client.js'
export type { Failure } from './failure.js'
export type * from './generated.js'
export type { Address, Input, Loose, PlannedAddress, Reply, ValueAddress } from './types.js'
