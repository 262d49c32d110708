// The role flags of a server: what load balancers ask for, as one word in shared memory.
import { isReader, isWriter } from '../../../lib/decide/situation/validity.js'
import { mainChannel, type ServerSnapshot, type Snapshot } from '../../../lib/model/snapshot.js'
import {
  FLAG_KNOWN,
  FLAG_LAG_SHIFT,
  FLAG_OWNED,
  FLAG_PRIMARY_CLOSED,
  FLAG_PRIMARY_KNOWN,
  FLAG_REPLICA_KNOWN,
  FLAG_VALID_PRIMARY,
  FLAG_VALID_REPLICA,
} from '../../protocol/actor.js'

export interface FlagRules {
  /** `proxy-servers-read-on-master`. */
  readonly readOnPrimary: boolean
  /** `proxy-servers-read-on-master-no-slave`. */
  readonly readOnPrimaryWithoutReplica: boolean
  readonly sourceName: string
  /** No other instance owns the cluster. */
  readonly owned: boolean
  /** It has lost the arbitration while the sites are parted: another one may have made another server the primary. */
  readonly frozen: boolean
  /** Whether a read-only primary has everything that the cluster is known to have. */
  readonly mayOpen: (primary: ServerSnapshot) => boolean
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
  const writesStopped = moving && !opened(snapshot)
  const sees = seesCluster(snapshot)
  return snapshot.servers.map((server) => {
    const primary = server.id === snapshot.primary && isWriter(server)
    const valid = isReader(server) || (primary && primaryReads)
    const lag = mainChannel(server, rules.sourceName)?.lagSeconds
    if (rules.frozen) return FLAG_KNOWN | FLAG_PRIMARY_KNOWN | FLAG_REPLICA_KNOWN
    return (
      FLAG_KNOWN |
      (rules.owned ? FLAG_OWNED : 0) |
      (primary && !writesStopped ? FLAG_VALID_PRIMARY : 0) |
      (valid ? FLAG_VALID_REPLICA : 0) |
      (writesStopped || (sees && isJudged(server, snapshot)) ? FLAG_PRIMARY_KNOWN : 0) |
      (valid || sees ? FLAG_REPLICA_KNOWN : 0) |
      (!moving && sees && isClosed(server, snapshot) && rules.mayOpen(server) ? FLAG_PRIMARY_CLOSED : 0) |
      (lag === undefined ? 0 : (Math.min(lag, MAX_LAG) + 1) << FLAG_LAG_SHIFT)
    )
  })
}

/** The running change has opened the new primary: from there on it is the valid one. */
const opened = ({ operation, primary }: Snapshot): boolean =>
  operation?.steps.some(
    ({ command, state }) => command.type === 'make-writable' && command.server === primary && state === 'done',
  ) === true

/** Every server was probed, at least one answers, and one is the primary: else the manager has just started or is cut off. */
const seesCluster = ({ servers, primary }: Snapshot): boolean =>
  primary !== undefined &&
  servers.every(({ observation }) => observation !== 'unseen') &&
  servers.some(({ observation }) => observation === 'answered')

/** A primary that does not answer may be one that only the manager does not reach: the checks of the proxy decide until it is replaced. */
const isJudged = ({ id, observation, maintenance }: ServerSnapshot, { primary }: Snapshot): boolean =>
  id !== primary || observation === 'answered' || maintenance

const isClosed = ({ id, observation, maintenance, state }: ServerSnapshot, { primary }: Snapshot): boolean =>
  id === primary && observation === 'answered' && !maintenance && state?.readOnly === true
