// Lets only so many heavy jobs of all clusters run at a time: a cluster's backup takes processor, disk and network of the manager's host.
import { BroadcastChannel } from 'node:worker_threads'
import { now } from '../../lib/base/time.js'
import { grantSlots, noteSlots, type SlotLedger } from '../../lib/decide/backup/slots.js'
import { type SlotMessage, slotChannel } from '../protocol/job-slots.js'

/** `limit` is read at each grant: a change of the setting holds from the next one on. */
export function limitJobs(workingDirectory: string, limit: () => number): { readonly close: () => void } {
  const channel = new BroadcastChannel(slotChannel(workingDirectory))
  let ledger: SlotLedger = {}
  channel.onmessage = (event: unknown) => {
    const { data } = event as { readonly data: SlotMessage }
    if (data.type !== 'stated') return
    const at = now()
    const granted = grantSlots(noteSlots(ledger, data.cluster, { ...data, at }), { limit: limit(), now: at })
    ledger = granted.ledger
    const { grants, running } = granted
    channel.postMessage({ type: 'granted', grants, running, limit: limit() } satisfies SlotMessage)
  }
  ;(channel as { unref?: () => void }).unref?.()
  return { close: () => channel.close() }
}
