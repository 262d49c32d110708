// What else ProxySQL is filled with where the settings say so: its pair of groups, and whether the writer takes reads.
import { done, type Result } from '../../base/result.js'
import type { ProxyTarget } from '../index.js'
import type { Groups } from './changes.js'
import { type Ask, tell } from './wire.js'

export interface Extras {
  /** It finds the writer by read_only itself, in this pair of groups (`proxysql-bootstrap-hostgroups`). */
  readonly pair: boolean
  /** Its variables follow the settings (`proxysql-bootstrap-variables`). */
  readonly variables: boolean
}

export interface ExtrasWanted {
  readonly target: ProxyTarget
  readonly groups: Groups
  readonly extras: Extras
  readonly save: boolean
}

/** Each is looked at first and told only when it differs. After the routes: nobody waits for these. */
export async function alignExtras(ask: Ask, wanted: ExtrasWanted): Promise<Result<void>> {
  const paired = wanted.extras.pair ? await alignPair(ask, wanted) : done
  if (!paired.ok) return paired
  return wanted.extras.variables ? alignWriterReads(ask, wanted) : done
}

async function alignPair(ask: Ask, { groups: { writer, reader }, save }: ExtrasWanted): Promise<Result<void>> {
  const rows = await ask('SELECT writer_hostgroup, reader_hostgroup FROM mysql_replication_hostgroups')
  if (!rows.ok) return rows
  const isThere = rows.value.some(
    (row) => Number(row.writer_hostgroup) === writer && Number(row.reader_hostgroup) === reader,
  )
  if (isThere) return done
  return tell(ask, [
    `DELETE FROM mysql_replication_hostgroups WHERE writer_hostgroup=${writer} OR reader_hostgroup=${reader}`,
    `INSERT INTO mysql_replication_hostgroups (writer_hostgroup, reader_hostgroup) VALUES (${writer}, ${reader})`,
    'LOAD MYSQL SERVERS TO RUNTIME',
    ...(save ? ['SAVE MYSQL SERVERS TO DISK'] : []),
  ])
}

const WRITER_READS = 'mysql-monitor_writer_is_also_reader'

/** Without it ProxySQL takes the writer out of the readers, or puts it back, by itself. */
async function alignWriterReads(ask: Ask, { target, save }: ExtrasWanted): Promise<Result<void>> {
  const { primary, readers } = target
  if (primary === undefined) return done
  const reads = readers.some(({ id, state }) => id === primary.id && state === 'ready')
  const rows = await ask(`SELECT variable_value FROM global_variables WHERE variable_name='${WRITER_READS}'`)
  if (!rows.ok) return rows
  if (String(rows.value[0]?.variable_value) === String(reads)) return done
  return tell(ask, [
    `UPDATE global_variables SET variable_value='${reads}' WHERE variable_name='${WRITER_READS}'`,
    'LOAD MYSQL VARIABLES TO RUNTIME',
    ...(save ? ['SAVE MYSQL VARIABLES TO DISK'] : []),
  ])
}
