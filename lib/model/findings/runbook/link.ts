// Where the runbook page of a finding is served.
import type { FindingCode } from '../../findings.js'
import type { Names } from './fill.js'

/** Path at the manager: `/api/runbooks/ERR00012`. */
export const runbookPath = (code: FindingCode): string => `/api/runbooks/${code}`

/** The page with the names of the cluster and server filled into its commands. `base`: `api-public-url`. */
export function runbookUrl(base: string, code: FindingCode, { cluster = '', server = '' }: Names): string {
  const query = new URLSearchParams({
    ...(cluster === '' ? {} : { cluster }),
    ...(server === '' ? {} : { server }),
  }).toString()
  return `${base.replace(/\/+$/, '')}${runbookPath(code)}${query === '' ? '' : `?${query}`}`
}
