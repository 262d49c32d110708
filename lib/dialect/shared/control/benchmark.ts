// Statements around a benchmark: its schema, which is replicated, and its account, which is not.
import type { Statement } from '../../statement/statement.js'
import { plain } from './locks.js'

/** Everything of a benchmark lies in it. */
export const BENCHMARK_SCHEMA = 'manager_bench'
/** It may do everything there, and nothing elsewhere. */
export const BENCHMARK_USER = 'manager_bench'

const account = `'${BENCHMARK_USER}'@'%'`

/** Column name. */
export const listBenchmarkTables: Statement = {
  sql: 'SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
  values: [BENCHMARK_SCHEMA],
}

export const createBenchmarkSchema = plain(`CREATE DATABASE IF NOT EXISTS ${BENCHMARK_SCHEMA}`)
export const dropBenchmarkSchema = plain(`DROP DATABASE IF EXISTS ${BENCHMARK_SCHEMA}`)

export const createBenchmarkAccount = (password: string): readonly Statement[] => [
  dropBenchmarkAccount,
  { sql: `CREATE USER ${account} IDENTIFIED BY ?`, values: [password] },
  plain(`GRANT ALL ON ${BENCHMARK_SCHEMA}.* TO ${account}`),
]

export const dropBenchmarkAccount = plain(`DROP USER IF EXISTS ${account}`)

/** What follows in the session is written to the binary log, or not. */
export const writeBinlog = (on: boolean): Statement => ({ sql: 'SET SESSION sql_log_bin = ?', values: [on ? 1 : 0] })
