// Prints the delay statistics of the replicas into the log, every few minutes.
import { MINUTE, now } from '../../../lib/base/time.js'
import { renderDelay, renderDelayHistory } from '../../../lib/decide/watching/delays.js'
import type { Cluster } from '../state/message/cluster.js'

export class DelayPrint {
  readonly #actor: Pick<Cluster, 'state' | 'tell'>
  #printedAt = now()

  constructor(actor: Pick<Cluster, 'state' | 'tell'>) {
    this.#actor = actor
  }

  printWhenDue(): void {
    const { settings, snapshot } = this.#actor.state
    const isOn = settings['delay-stat-capture'] && settings['print-delay-stat']
    if (!isOn || now() - this.#printedAt < settings['print-delay-stat-interval'] * MINUTE) return
    this.#printedAt = now()
    for (const { name, delays = [] } of snapshot.servers) {
      const latest = delays.at(-1)
      if (latest) this.#print(`Delay of ${name} in this hour: ${renderDelay(latest)}`)
      if (settings['print-delay-stat-history'] && delays.length > 1)
        this.#print(`Delay of ${name} before, hours in UTC: ${renderDelayHistory(delays)}`)
    }
  }

  #print(text: string): void {
    this.#actor.tell('noted', { level: 'INFO', text, module: 'task' })
  }
}
