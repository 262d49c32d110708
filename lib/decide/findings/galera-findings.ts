// What is amiss in a Galera cluster: members that lag, are cut off, or belong to another one.
import type { Finding } from '../../model/finding.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { isGaleraMember, isInService } from '../situation/galera.js'
import type { Situation } from '../situation/situation.js'

export function judgeGalera({ snapshot: { servers, topology } }: Situation): readonly Finding[] {
  if (topology !== 'galera') return []
  const members = servers.filter((server) => isGaleraMember(server) && isReachable(server))
  return [...members.flatMap(judgeMember), ...judgeParts(members), ...judgeService(members)]
}

function judgeMember({ id: server, name, state, maintenance }: ServerSnapshot): readonly Finding[] {
  if (!state?.galera || maintenance) return []
  const { state: place, comment, part } = state.galera
  if (place === 'synced') return []
  return [{ code: place === 'donor' ? 'WARN0241' : 'WARN0242', server, detail: `${name}: ${comment}, ${part}` }]
}

/** Before a member has met the others it knows of no cluster: all zeros. */
const NO_CLUSTER = /^[0-]*$/

function judgeParts(members: readonly ServerSnapshot[]): readonly Finding[] {
  const known = members.filter(({ state }) => !NO_CLUSTER.test(state?.galera?.cluster ?? ''))
  if (new Set(known.map(({ state }) => state?.galera?.cluster)).size < 2) return []
  return [{ code: 'ERR00083', detail: known.map(({ name, state }) => `${name}: ${state?.galera?.cluster}`).join(', ') }]
}

/** Nobody can write: all members are cut off, or all are closed. */
function judgeService(members: readonly ServerSnapshot[]): readonly Finding[] {
  if (members.length === 0) return []
  const serving = members.filter(isInService)
  const names = members.map(({ name }) => name).join(', ')
  if (serving.length === 0) return [{ code: 'ERR00123', detail: names }]
  return serving.some(isWritable) ? [] : [{ code: 'WARN0004', detail: serving.map(({ name }) => name).join(', ') }]
}
