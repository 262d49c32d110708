// The end of a statement or of a session: both pass through the plan sheet, which names what would be ended.
import type { Action } from '../../../plan/action.js'

export interface OfServer {
  readonly cluster: string
  readonly name: string
}

export const killStatement = ({ cluster, name }: OfServer, target: number | string): Action => ({
  title: `End the statement ${describe(target)}`,
  row: 'POST /api/clusters/:cluster/servers/:server/queries/:digest/actions/kill-query',
  params: { cluster, server: name, digest: String(target) },
  grant: 'db-kill',
  kind: 'interrupting',
})

export const killSession = ({ cluster, name }: OfServer, target: number | string): Action => ({
  title: `End the session ${describe(target)}`,
  row: 'POST /api/clusters/:cluster/servers/:server/queries/:digest/actions/kill-thread',
  params: { cluster, server: name, digest: String(target) },
  grant: 'db-kill',
  kind: 'interrupting',
})

const describe = (target: number | string): string =>
  typeof target === 'number' ? `of thread ${target}` : `of digest ${target.slice(0, 12)}`
