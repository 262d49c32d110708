// Lets only so many heavy jobs of all clusters run at a time: a cluster's backup takes processor, disk and network of the manager's host.
import { now } from '../../lib/base/time.js'
import { grantSlots, noteSlots, type SlotLedger } from '../../lib/decide/backup/slots.js'
import type { MainLine } from '../kernel/line.js'

/** `limit` is read at each grant: a change of the setting holds from the next one on. */
export function limitJobs(line: MainLine, limit: () => number): void {
  let ledger: SlotLedger = {}
  line.hear('slots', (said, from) => {
    const at = now()
    const granted = grantSlots(noteSlots(ledger, from, { ...said, at }), { limit: limit(), now: at })
    ledger = granted.ledger
    for (const cluster of new Set([from, ...granted.grants.map((grant) => grant.cluster)])) {
      const grants = granted.grants.filter((grant) => grant.cluster === cluster).map(({ job }) => job)
      line.notify(cluster, 'slots', { grants, running: granted.running, limit: limit() })
    }
  })
}
