// Reads a closed binary log file by the database's own tool, checksums of its events included, beside the manager's own reading.
import { formatSet, type GtidSet, isEmpty, noTransactions, subtract, union } from '../../model/server/gtid.js'
import type { Flavour } from '../../model/server/version.js'
import { readLog } from '../binlog/read-log.js'
import { oneOf } from '../binlog/term.js'

export interface Verified {
  readonly flavour: Flavour
  /** Path of mariadb-binlog or mysqlbinlog; '' finds that of the flavour by the search path. */
  readonly program: string
  /** What is in it, as the manager reads it. */
  readonly transactions: GtidSet
  readonly signal: AbortSignal
}

/** Why the file is not what the manager takes it for; undefined when it is. */
export async function verifyFile(
  file: string,
  { flavour, program, transactions, signal }: Verified,
): Promise<string | undefined> {
  const tool = program || (flavour === 'mariadb' ? 'mariadb-binlog' : 'mysqlbinlog')
  const reading = readLog({ flavour, program: [tool], files: [file], options: ['--verify-binlog-checksum'], signal })
  let read = noTransactions
  for await (const { gtid } of reading.events)
    if (gtid !== undefined && gtid !== '') read = union(read, oneOf(flavour, gtid))
  const ended = await reading.done
  if (!ended.ok) return ended.failure.message
  const [more, less] = [subtract(read, transactions), subtract(transactions, read)]
  if (!isEmpty(more)) return `${tool} reads ${formatSet(more)}, which the manager does not find in it`
  if (!isEmpty(less)) return `${tool} does not read ${formatSet(less)}, which the manager finds in it`
  return undefined
}
