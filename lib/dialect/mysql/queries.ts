// MySQL's and Percona Server's queries about one statement.
import { compareVersions } from '../../model/server/version.js'
import {
  eventSources,
  judgeSample,
  lowerCase,
  type Queries,
  sampleOf,
  samplesOff,
  whyNoSample,
} from '../queries/queries.js'
import { askFor, LONGEST_TEXT, refuse } from '../reads/read.js'
import { withPerformanceSchema } from '../reads/shared.js'
import type { Capabilities } from '../shared/dialect/dialect.js'
import type { Rows } from '../statement/statement.js'
import { processTable } from './reads.js'

/** Each digest also stores one sample statement. */
const summary =
  'SELECT SCHEMA_NAME AS schema_name, QUERY_SAMPLE_TEXT AS statement, 0 AS at ' +
  'FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST = ?'

export const queries = (capabilities: Capabilities): Queries => ({
  sample: (request) =>
    withPerformanceSchema(
      askFor(sampleOf([...eventSources, summary], request), (rows) =>
        judgeSample(rows, () => askFor(samplesOff(request.digest), (off) => refuse(whyNoSample(request.digest, off)))),
      ),
    ),
  explain: (statement, run) => {
    if (!run) return `EXPLAIN FORMAT=TRADITIONAL ${statement}`
    return compareVersions(capabilities.version, { major: 8, minor: 0, patch: 18 }) < 0
      ? undefined
      : `EXPLAIN ANALYZE ${statement}`
  },
  parsePlan: (rows) => {
    const [first] = lowerCase(rows)
    return typeof first?.explain === 'string' ? parseTree(first.explain) : lowerCase(rows)
  },
  sessions: () => ({
    sql:
      'SELECT ID AS id, USER AS user, HOST AS host, DB AS db, COMMAND AS command, TIME AS seconds, ' +
      `LEFT(INFO, ${LONGEST_TEXT}) AS info FROM ${processTable(capabilities)} WHERE ID <> CONNECTION_ID()`,
    values: [],
  }),
  endStatement: ({ id }) => ({ sql: 'KILL QUERY ?', values: [id] }),
})

/** The tree that EXPLAIN ANALYZE draws, a row for each of its lines: estimated and actual figures. */
function parseTree(tree: string): Rows {
  const lines = tree.split('\n').filter((line) => line.includes('->'))
  return lines.map((line, index) => {
    const figure = (pattern: RegExp): number | null => {
      const found = pattern.exec(line)?.[1]
      return found === undefined ? null : Number(found)
    }
    return {
      id: index + 1,
      select_type: null,
      table: /\b(?:scan|lookup|search|fetch) on (\S+)/i.exec(line)?.[1] ?? null,
      key: /\busing (\S+)/i.exec(line)?.[1] ?? null,
      rows: figure(/\(cost=\S+ rows=([\d.e+]+)\)/),
      r_rows: figure(/\(actual time=\S+ rows=([\d.e+]+)/),
      extra: line.trimEnd(),
    }
  })
}
