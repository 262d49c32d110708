// The role flags of a server: what load balancers ask for, as one word in shared memory.
import { isReader, isWriter } from '../../../lib/decide/situation/validity.js'
import { mainChannel, type Snapshot } from '../../../lib/model/snapshot.js'
import { FLAG_KNOWN, FLAG_LAG_SHIFT, FLAG_VALID_PRIMARY, FLAG_VALID_REPLICA } from '../../protocol/actor.js'

export interface FlagRules {
  /** `proxy-servers-read-on-master`. */
  readonly readOnPrimary: boolean
  /** `proxy-servers-read-on-master-no-slave`. */
  readonly readOnPrimaryWithoutReplica: boolean
  readonly sourceName: string
}

const MAX_LAG = (1 << 22) - 2

/** The flag word of each server, in the order of the snapshot's servers. */
export function flagWords(snapshot: Snapshot, rules: FlagRules): readonly number[] {
  // Galera: whom writes are sent to takes them all the while.
  const moving =
    snapshot.topology !== 'galera' &&
    (snapshot.operation?.kind === 'failover' || snapshot.operation?.kind === 'switchover')
  const replicas = snapshot.servers.filter(isReader)
  const primaryReads = rules.readOnPrimary || (rules.readOnPrimaryWithoutReplica && replicas.length === 0)
  return snapshot.servers.map((server) => {
    const primary = server.id === snapshot.primary && isWriter(server)
    const valid = isReader(server) || (primary && primaryReads)
    const lag = mainChannel(server.state, rules.sourceName)?.lagSeconds
    return (
      FLAG_KNOWN |
      (primary && !(moving && !opened(snapshot)) ? FLAG_VALID_PRIMARY : 0) |
      (valid ? FLAG_VALID_REPLICA : 0) |
      (lag === undefined ? 0 : (Math.min(lag, MAX_LAG) + 1) << FLAG_LAG_SHIFT)
    )
  })
}

/** The running change has opened the new primary: from there on it is the valid one. */
const opened = ({ operation, primary }: Snapshot): boolean =>
  operation?.steps.some(
    ({ command, state }) => command.type === 'make-writable' && command.server === primary && state === 'done',
  ) === true
