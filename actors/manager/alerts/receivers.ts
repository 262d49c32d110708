// Where the alerts of clusters go: every configured channel, once for each receiver, with what became of its messages.
import { SECOND } from '../../../lib/base/time.js'
import type { AlertChannel } from '../../../lib/model/alert.js'
import { type Channel, channelList } from '../../../lib/notify/index.js'
import type { Settings } from '../../../lib/settings/index.js'
import type { AlertReceiver, EscalationRule } from '../../protocol/manager/alerts.js'
import type { Deliveries } from './outbox.js'

export interface Configured {
  /** Empty: the manager itself. */
  readonly cluster: string
  readonly settings: Settings
}

type FindDeliveries = (channel: AlertChannel, receiver: string) => Deliveries

/** In the order of the channels; a receiver of escalations alone stands after those of its channel. */
export function listReceivers(configured: readonly Configured[], find: FindDeliveries): readonly AlertReceiver[] {
  return channelList.flatMap((channel) => {
    const usual = gather(channel, 'alert', configured)
    const late = [...gather(channel, 'escalation', configured)].filter(([receiver]) => !usual.has(receiver))
    return [...usual, ...late].map(
      ([receiver, { shown, clusters }], at): AlertReceiver => ({
        ...{ channel: channel.name, receiver: shown, clusters, onlyEscalations: at >= usual.size },
        ...find(channel.name, receiver),
      }),
    )
  })
}

interface Gathered {
  readonly shown: string
  readonly clusters: string[]
}

function gather(
  channel: Channel,
  kind: 'alert' | 'escalation',
  configured: readonly Configured[],
): ReadonlyMap<string, Gathered> {
  const found = new Map<string, Gathered>()
  for (const { cluster, settings } of configured) {
    if (kind === 'escalation' && settings['alert-escalation-time'] === 0) continue
    const receiver = channel.receiver(settings, kind)
    if (receiver === undefined) continue
    const known = found.get(receiver)
    if (known) known.clusters.push(cluster)
    else found.set(receiver, { shown: channel.shown(settings, kind), clusters: [cluster] })
  }
  return found
}

/** Clusters by how long their errors wait for an acknowledgement, the longest list first. */
export function listEscalation(configured: readonly Configured[]): readonly EscalationRule[] {
  const byTime = new Map<number, string[]>()
  for (const { cluster, settings } of configured) {
    const afterMs = settings['alert-escalation-time'] * SECOND
    byTime.set(afterMs, [...(byTime.get(afterMs) ?? []), cluster])
  }
  return [...byTime]
    .map(([afterMs, clusters]) => ({ afterMs, clusters }))
    .toSorted((one, other) => other.clusters.length - one.clusters.length || one.afterMs - other.afterMs)
}
