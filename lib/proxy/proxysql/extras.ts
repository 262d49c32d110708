// The optional configuration of ProxySQL: its pair of groups, and whether the writer takes reads.
import { done, fail, type Result } from '../../base/result.js'
import type { ProxyTarget } from '../kit/index.js'
import type { Groups } from './changes.js'
import { type Ask, execute } from './wire.js'

export interface Extras {
  /** It finds the writer by read_only itself, in this pair of groups (`proxysql-bootstrap-hostgroups`). */
  readonly pair: boolean
  /** Its variables follow the settings (`proxysql-bootstrap-variables`). */
  readonly variables: boolean
  /** Whether sessions share connections to databases, too (`proxysql-multiplexing`). */
  readonly multiplexing: boolean
}

export interface ExtrasWanted {
  /** Of the proxy. */
  readonly name: string
  readonly target: ProxyTarget
  readonly groups: Groups
  readonly extras: Extras
  readonly save: boolean
}

/**
 * Each is read at run time and written only when it differs. After the routes: nothing waits for these. They are saved
 * before they are loaded: a manager that is killed between the two finds that the load is missing.
 */
export async function alignExtras(ask: Ask, wanted: ExtrasWanted): Promise<Result<void>> {
  const paired = wanted.extras.pair ? await alignPair(ask, wanted) : done
  if (!paired.ok) return unaligned(wanted, 'pair of groups', paired.failure.message)
  const aligned = wanted.extras.variables ? await alignVariables(ask, wanted) : done
  return aligned.ok ? aligned : unaligned(wanted, 'variables', aligned.failure.message)
}

const unaligned = ({ name }: ExtrasWanted, what: string, reason: string): Result<never> =>
  fail('proxy-failed', `${name}: its servers are configured, its ${what} could not be set: ${reason}`)

async function alignPair(ask: Ask, { groups: { writer, reader }, save }: ExtrasWanted): Promise<Result<void>> {
  const rows = await ask('SELECT writer_hostgroup, reader_hostgroup FROM runtime_mysql_replication_hostgroups')
  if (!rows.ok) return rows
  const isThere = rows.value.some(
    (row) => Number(row.writer_hostgroup) === writer && Number(row.reader_hostgroup) === reader,
  )
  if (isThere) return done
  return execute(ask, [
    `DELETE FROM mysql_replication_hostgroups WHERE writer_hostgroup=${writer} OR reader_hostgroup=${reader}`,
    `INSERT INTO mysql_replication_hostgroups (writer_hostgroup, reader_hostgroup) VALUES (${writer}, ${reader})`,
    ...(save ? ['SAVE MYSQL SERVERS TO DISK'] : []),
    'LOAD MYSQL SERVERS TO RUNTIME',
  ])
}

/** Without a primary the readers stay as they are. Without the first variable ProxySQL adds the writer to the readers, or removes it, automatically. */
function variablesFor({ target: { primary, readers }, extras }: ExtrasWanted): readonly (readonly [string, boolean])[] {
  const reads = readers.some(({ id, state }) => id === primary?.id && state === 'ready')
  return [
    ...(primary ? ([['mysql-monitor_writer_is_also_reader', reads]] as const) : []),
    ['mysql-multiplexing', extras.multiplexing],
  ]
}

async function alignVariables(ask: Ask, wanted: ExtrasWanted): Promise<Result<void>> {
  const rows = await ask(
    "SELECT variable_name, variable_value FROM runtime_global_variables WHERE variable_name='mysql-monitor_writer_is_also_reader' OR variable_name='mysql-multiplexing'",
  )
  if (!rows.ok) return rows
  const changes = variablesFor(wanted).filter(([name, value]) =>
    rows.value.some((row) => row.variable_name === name && String(row.variable_value) !== String(value)),
  )
  if (changes.length === 0) return done
  return execute(ask, [
    ...changes.map(
      ([name, value]) => `UPDATE global_variables SET variable_value='${value}' WHERE variable_name='${name}'`,
    ),
    ...(wanted.save ? ['SAVE MYSQL VARIABLES TO DISK'] : []),
    'LOAD MYSQL VARIABLES TO RUNTIME',
  ])
}
