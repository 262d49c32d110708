// Need checks of hosts and scripts: is there something this server is waiting for. Scripts test the status alone, so
// the statuses differ by check exactly as the contract has them, although the texts do not always agree with them.

import type { ManagerFace, Need } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { route, type WireFailure } from '../../kit/route.js'

interface Check {
  readonly need: Need
  /** A yes clears the flag: the client that asked will act. */
  readonly consume?: boolean
  readonly summary: string
  readonly yes: string
  readonly no: WireFailure
  readonly noServer: WireFailure
  readonly noCluster: WireFailure
}

/** The row of `S/{port}/<word>`. */
const need = (word: string, { need, consume = false, summary, yes, no, noServer, noCluster }: Check) =>
  route({
    methods: ['GET'],
    paths: [`/api/clusters/:cluster/servers/:server/:port/${word}`],
    summary,
    grant: 'none',
    ofOwner: true,
    reply: { status: 200, type: 'text', text: yes },
    failures: { 'check-negative': no, 'unknown-server': noServer, 'unknown-cluster': noCluster },
    example: { reply: yes },
    answer: async ({ manager, params, server, caller }) =>
      (await manager.need({ cluster: params.cluster, server: server.id, need, consume, by: caller }))
        ? ok(yes)
        : fail('check-negative', `${server.name} has no such need`),
  })

const noValidServer: WireFailure = [500, '500 -No valid server!']
const noValidCluster: WireFailure = [500, '500 -No cluster!']
const notAValidServer: WireFailure = [500, '503 -Not a Valid Server!']
const noClusterAtAll: WireFailure = [500, 'No cluster']

export const needRoutes = {
  'need.config-change': need('need-config-change', {
    need: 'config-change',
    consume: true,
    summary: 'Whether a changed configuration is to be applied; a yes is given once.',
    yes: '200 -Need config change!',
    no: [500, '500 -No config change needed!'],
    noServer: noValidServer,
    noCluster: noValidCluster,
  }),
  'need.prov': need('need-prov', {
    need: 'prov',
    summary: 'Whether the server is to be provisioned.',
    yes: '200 -Need provisioning!',
    no: [503, '503 -No provisioning needed!'],
    noServer: notAValidServer,
    noCluster: noClusterAtAll,
  }),
  'need.unprov': need('need-unprov', {
    need: 'unprov',
    summary: 'Whether the server is to be unprovisioned.',
    yes: '200 -Need unprov!',
    no: [503, '503 -No unprov needed!'],
    noServer: notAValidServer,
    noCluster: noClusterAtAll,
  }),
  'need.reprov': need('need-reprov', {
    need: 'reprov',
    summary: 'Whether the server is to be provisioned again.',
    yes: '200 -Need reprov!',
    no: [503, '503 -No reprov needed!'],
    noServer: notAValidServer,
    noCluster: noClusterAtAll,
  }),
  'need.restart': need('need-restart', {
    need: 'restart',
    summary: 'Whether the server is to be restarted.',
    yes: '200 -Need restart!',
    no: [503, '503 -No restart needed!'],
    noServer: notAValidServer,
    noCluster: noClusterAtAll,
  }),
  'need.start': need('need-start', {
    need: 'start',
    consume: true,
    summary: 'Whether the server is to be started; a yes is given once.',
    yes: '200 -Need start!',
    no: [500, '500 -No start needed!'],
    noServer: noValidServer,
    noCluster: noValidCluster,
  }),
  'need.stop': need('need-stop', {
    need: 'stop',
    consume: true,
    summary: 'Whether the server is to be stopped; a yes is given once.',
    yes: '200 -Need stop!',
    no: [500, '500 -No stop needed!'],
    noServer: noValidServer,
    noCluster: noValidCluster,
  }),
  'need.config-fetch': need('need-config-fetch', {
    need: 'config-fetch',
    summary: 'Whether a start is to download the configuration first.',
    yes: '200 -Need config fetch!',
    no: [500, '500 -No config fetch needed!'],
    noServer: noValidServer,
    noCluster: noValidCluster,
  }),
  'need.rolling-reprov': rolling('need-rolling-reprov', {
    need: 'reprov',
    summary: 'Whether any server of the cluster is to be provisioned again.',
    yes: '200 -Need rolling reprov!',
    no: [500, '503 -No rolling reprov needed!'],
  }),
  'need.rolling-restart': rolling('need-rolling-restart', {
    need: 'restart',
    summary: 'Whether any server of the cluster is to be restarted.',
    yes: '200 -Need rolling restart!',
    no: [500, '503 -No rolling restart needed!'],
  }),
}

/** The row of `C/<word>`: the need of any server. */
function rolling(word: string, { need, summary, yes, no }: Pick<Check, 'need' | 'summary' | 'yes' | 'no'>) {
  return route({
    methods: ['GET'],
    paths: [`/api/clusters/:cluster/${word}`],
    summary,
    grant: 'none',
    ofOwner: true,
    reply: { status: 200, type: 'text', text: yes },
    failures: { 'check-negative': no, 'unknown-cluster': [500, '500 -No cluster'] },
    example: { reply: yes },
    answer: ({ manager, params }) => anyNeeds(manager, { cluster: params.cluster, need, yes }),
  })
}

async function anyNeeds(
  manager: ManagerFace,
  { cluster, need, yes }: { readonly cluster: string; readonly need: Need; readonly yes: string },
): Promise<Result<string>> {
  const servers = manager.members(cluster)?.servers ?? []
  const needs = await Promise.all(servers.map(({ id }) => manager.need({ cluster, server: id, need, consume: false })))
  return needs.includes(true) ? ok(yes) : fail('check-negative', `no server of ${cluster} has this need`)
}
