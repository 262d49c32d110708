// Outcomes of requests, as the client of the API has them.
import type { Answer } from '../../../client/api/client.js'
import type { Failure } from '../../../client/api/failure.js'

export { type Failure, readFailure, unreachable } from '../../../client/api/failure.js'

/** No answer, or one of something between the page and the manager: neither says whether it was done. The manager's own 502 has a code. */
export const isSilence = ({ status, code }: Failure): boolean => status === 0 || status === 504 || code === 'http-502'

export type Reply<T> = Answer<T>
