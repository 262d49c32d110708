// Outcomes of requests, as the client of the API has them.
import type { Answer } from '../../../client/api/client.js'
import { type Failure, readFailure as readProblem } from '../../../client/api/failure.js'

export { type Failure, unreachable } from '../../../client/api/failure.js'

/** With what a page can do about it in place of what a caller of the API can. The words are loaded with the first failure. */
export async function inPageWords({ hint, ...failure }: Failure): Promise<Failure> {
  const words = await import('../model/page-hint.js').catch(() => undefined)
  const own = words?.pageHint(failure.code, hint)
  return own === undefined ? failure : { ...failure, hint: own }
}

export const readFailure = async (response: Response): Promise<Failure> => inPageWords(await readProblem(response))

/** No answer, or one of something between the page and the manager: neither says whether it was done. The manager's own 502 has a code. */
export const isSilence = ({ status, code }: Failure): boolean => status === 0 || status === 504 || code === 'http-502'

export type Reply<T> = Answer<T>
