// What is open in a cluster, for its alerts: findings, and the states of its servers. Not for the wire.
import type { ConditionsView } from '../../../../actors/protocol/cluster.js'
import type { Roll } from '../../../../lib/model/operation/roll.js'
import { addressText, type ServerId } from '../../../../lib/model/server/server.js'
import { stateTexts } from '../../../../lib/model/wire.js'
import type { ViewInput } from '../kit/input.js'

export const renderConditions = ({ snapshot, ready = true, roll }: ViewInput): ConditionsView => ({
  ready,
  ...(snapshot.rival?.acts ? { others: snapshot.rival.hosts } : {}),
  servers: snapshot.servers.map(({ id, name, host, port, stateName }) => ({
    ...{ id, name, url: addressText({ host, port }), state: stateTexts[stateName] },
    quiet: stateName === 'maintenance' || isRolled(roll, id),
  })),
  findings: snapshot.findings.map(({ code, server, detail }) => ({
    ...{ code, detail },
    ...(server === undefined ? {} : { server }),
  })),
})

const isRolled = (roll: Roll | undefined, id: ServerId): boolean =>
  roll?.phase === 'running' &&
  roll.servers.some(({ server, state }) => server === id && (state === 'acting' || state === 'returning'))
