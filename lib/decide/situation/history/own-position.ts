// What a MariaDB server executed, where its own account of it falls short because its server_id was changed.
import { contains, parsePosition } from '../../../model/server/gtid.js'
import type { ServerState } from '../../../model/server/reading.js'

/**
 * The position that covers everything the server executed, where `gtid_current_pos` does not; undefined where it does, and
 * on MySQL. `gtid_current_pos` counts a logged transaction only when it carries the present server_id
 * (https://mariadb.com/kb/en/gtid/#gtid_current_pos); a server that is made a replica there replicates from the start of the
 * history and stops with error 1950, or, without gtid_strict_mode, applies all of it twice.
 */
export function hiddenPosition({ identity, gtid }: Pick<ServerState, 'identity' | 'gtid'>): string | undefined {
  if (identity.flavour !== 'mariadb') return undefined
  const { current, executed } = gtid.text
  return contains(parsePosition(current), gtid.executed) ? undefined : executed
}
