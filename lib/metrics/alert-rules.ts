// The alert rules that come along, with links to the runbook pages of this manager.
import { readFile } from 'node:fs/promises'
import { sharePath } from '../base/package-root.js'
import { fail, ok, type Result } from '../base/result.js'

/** Where the links of the file lead as it is shipped: a manager beside Prometheus. */
const SHIPPED = 'http://localhost:10001/'

/** Text of share/prometheus/alerts.yml with `address` of the API in its links; `file-unreadable`. */
export async function readAlertRules(address: string): Promise<Result<string>> {
  const file = sharePath('prometheus', 'alerts.yml')
  try {
    return ok((await readFile(file, 'utf8')).replaceAll(SHIPPED, `${address.replace(/\/+$/, '')}/`))
  } catch (error) {
    return fail('file-unreadable', `${file}: ${(error as Error).message}`)
  }
}
