// What can be done with a whole cluster, in three groups by what it does to users.
import type { ClusterFacts } from '../../../model/cluster/cluster.js'
import type { Readiness } from '../../../model/cluster/readiness.js'
import type { Server } from '../../../model/cluster/server.js'
import type { Action, ActionFor, ActionKind } from '../../../plan/action.js'
import type { Offer } from './server-actions.js'

export interface Situation {
  readonly cluster: string
  readonly servers: readonly Server[]
  readonly readiness?: Readiness | undefined
  readonly facts?: ClusterFacts | undefined
}

export const groupTitles: Readonly<Record<ActionKind, string>> = {
  harmless: 'Harmless',
  interrupting: 'Interrupting',
  destroying: 'Destroying',
}

export function offersOfCluster({ cluster, servers, readiness, facts }: Situation): readonly Offer[] {
  const act = (fields: ActionFor<'cluster'>, refused?: string): Offer => ({
    action: { ...fields, params: { cluster } },
    ...(refused === undefined ? {} : { refused }),
  })
  const primary = servers.find(({ role }) => role === 'primary')
  const isPrimaryUp = primary !== undefined && primary.condition !== 'down'
  const needs = new Set(servers.flatMap((server) => server.needs))
  const isFormed = servers.some(({ channels, role }) => channels.length > 0 || role === 'member')
  return [
    act({
      ...{
        title: 'Make a logical backup',
        row: 'POST /api/clusters/:cluster/actions/backup-logical',
        grant: 'db-backup',
        kind: 'harmless',
      },
      ...{ follow: 'job', command: ['backup', '--logical'] },
    }),
    act({
      ...{
        title: 'Make a physical backup',
        row: 'POST /api/clusters/:cluster/actions/backup-physical',
        grant: 'db-backup',
        kind: 'harmless',
      },
      ...{ follow: 'job', command: ['backup', '--physical'] },
    }),
    act({
      ...{
        title: 'Reset the failover counter',
        row: 'POST /api/clusters/:cluster/actions/reset-failover-control',
        grant: 'cluster-settings',
      },
      kind: 'harmless',
    }),
    act({
      ...{
        title: 'Reset the availability figures',
        row: 'POST /api/clusters/:cluster/actions/reset-sla',
        grant: 'cluster-reset-sla',
      },
      kind: 'harmless',
    }),
    act({
      ...{
        title: 'Rebuild the configuration archives',
        row: 'POST /api/clusters/:cluster/actions/regenerate-configs',
        kind: 'harmless',
      },
      grant: ['db-config-flag', 'proxy-config-flag'],
    }),
    act(
      {
        ...{
          title: 'Switch over',
          row: 'POST /api/clusters/:cluster/actions/switchover',
          grant: 'cluster-switchover',
          kind: 'interrupting',
        },
        ...{ follow: 'operation', command: ['switchover'] },
      },
      isPrimaryUp ? undefined : 'The primary is down: fail over instead.',
    ),
    act(
      {
        ...{
          title: 'Fail over',
          row: 'POST /api/clusters/:cluster/actions/failover',
          grant: 'cluster-failover',
          kind: 'interrupting',
        },
        ...{ follow: 'operation', command: ['failover'] },
      },
      isPrimaryUp && readiness?.primaryDead !== true ? 'The primary answers: switch over instead.' : undefined,
    ),
    act({
      ...{
        title: 'Restart every server, one by one',
        row: 'POST /api/clusters/:cluster/actions/rolling',
        grant: 'cluster-rolling',
      },
      ...{ kind: 'interrupting', follow: 'rolling', command: ['rolling', 'restart'] },
    }),
    act({
      ...{
        title: 'Rebuild every server, one by one',
        row: 'POST /api/clusters/:cluster/actions/rolling-reprov',
        grant: 'cluster-rolling',
      },
      ...{ kind: 'interrupting', follow: 'rolling', command: ['rolling', 'reprov'] },
    }),
    act({
      ...{
        title: 'Optimize every server, one by one',
        row: 'POST /api/clusters/:cluster/actions/optimize',
        grant: 'cluster-rolling',
      },
      ...{ kind: 'interrupting', follow: 'rolling', command: ['rolling', 'optimize'] },
    }),
    act({
      ...{
        title: 'Rotate the passwords',
        row: 'POST /api/clusters/:cluster/actions/rotate-passwords',
        grant: 'cluster-rotate-passwords',
      },
      kind: 'interrupting',
    }),
    ...(isFormed ? [] : [{ action: formReplicas(cluster) }]),
    act({
      ...{
        title: 'End all replication',
        row: 'POST /api/clusters/:cluster/actions/replication/cleanup',
        grant: 'cluster-replication',
        kind: 'destroying',
      },
      query: { force: true },
    }),
    ...(facts?.orchestrator === undefined || facts.orchestrator === 'onpremise'
      ? []
      : [
          act({
            ...{
              title: 'Remove every database and proxy',
              row: 'POST /api/clusters/:cluster/services/actions/unprovision',
              kind: 'destroying',
            },
            ...{ grant: 'prov-cluster-unprovision', follow: 'job', query: { wait: false } },
          }),
        ]),
  ].map((offer) => note(offer, needs))
}

export const formReplicas = (cluster: string): Action => ({
  title: 'Form a primary with replicas',
  row: 'POST /api/clusters/:cluster/actions/replication/bootstrap/:topology',
  params: { cluster, topology: 'master-slave' },
  grant: 'cluster-replication',
  kind: 'interrupting',
})

/** The action that answers an open need says so in its title. */
function note(offer: Offer, needs: ReadonlySet<string>): Offer {
  const answers = {
    'POST /api/clusters/:cluster/actions/rolling': 'restart',
    'POST /api/clusters/:cluster/actions/rolling-reprov': 'rebuild',
  }[offer.action.row as string]
  return answers !== undefined && needs.has(answers)
    ? { ...offer, action: { ...offer.action, title: `${offer.action.title} (needed)` } }
    : offer
}
