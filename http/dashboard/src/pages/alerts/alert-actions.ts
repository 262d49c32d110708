// What is done about alerts, as actions of the plan sheet.
import type { Input } from '../../../../client/api/types.js'
import type { Receiver } from '../../model/upkeep/alert-board.js'
import type { Action } from '../../plan/action.js'

/** What may silence all clusters at once. */
export const GLOBAL = ['global-settings', 'global-admin-config'] as const

const ofCluster = { grant: 'cluster-alert', kind: 'harmless' } as const

export type SilenceWish = Input<'POST /api/global/silences'>['body']

/** Without a name: all clusters. */
export const silence = (cluster: string, body: SilenceWish): Action =>
  cluster === ''
    ? { ...{ title: 'Silence all clusters', row: 'POST /api/global/silences', body }, grant: GLOBAL, kind: 'harmless' }
    : {
        ...{ title: `Silence ${cluster}`, row: 'POST /api/clusters/:cluster/silences', params: { cluster }, body },
        ...ofCluster,
      }

export const endSilence = (cluster: string, id: string): Action =>
  cluster === ''
    ? {
        ...{ title: 'End the silence of all clusters', row: 'DELETE /api/global/silences/:silence' },
        ...{ params: { silence: id }, grant: GLOBAL, kind: 'harmless' },
      }
    : {
        ...{ title: `End the silence of ${cluster}`, row: 'DELETE /api/clusters/:cluster/silences/:silence' },
        ...{ params: { cluster, silence: id }, ...ofCluster },
      }

export const acknowledge = (cluster: string, body: { readonly reason: string; readonly code: string }): Action => ({
  ...{ title: `Acknowledge ${body.code} on ${cluster}`, row: 'POST /api/clusters/:cluster/alerts/acknowledge' },
  ...{ params: { cluster }, body, ...ofCluster },
})

export const takeBack = (cluster: string, code: string, server: string | undefined): Action => ({
  title: `Take back the acknowledgement of ${code} on ${cluster}`,
  row: 'POST /api/clusters/:cluster/alerts/unacknowledge',
  ...{ params: { cluster }, body: { code, ...(server === undefined ? {} : { server }) }, ...ofCluster },
})

export const sendTest = (cluster: string, { channel, receiver }: Pick<Receiver, 'channel' | 'receiver'>): Action => ({
  title: `Send a test to ${receiver} by ${channel}`,
  row: 'POST /api/clusters/:cluster/alerts/test/:channel',
  ...{ params: { cluster, channel }, ...ofCluster },
})
