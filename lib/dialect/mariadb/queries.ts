// MariaDB's queries about one statement.

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

export const queries: Queries = {
  sample: (request) =>
    withPerformanceSchema(
      askFor(sampleOf(eventSources, request), (rows) =>
        judgeSample(rows, () => askFor(samplesOff(request.digest), (off) => refuse(whyNoSample(request.digest, off)))),
      ),
    ),
  explain: (statement, run) => `${run ? 'ANALYZE' : 'EXPLAIN'} ${statement}`,
  parsePlan: lowerCase,
  sessions: () => ({
    sql:
      'SELECT ID AS id, USER AS user, HOST AS host, DB AS db, COMMAND AS command, TIME AS seconds, ' +
      `LEFT(INFO, ${LONGEST_TEXT}) AS info, QUERY_ID AS query_id FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID()`,
    values: [],
  }),
  endStatement: ({ id, queryId }) =>
    queryId === undefined ? { sql: 'KILL QUERY ?', values: [id] } : { sql: 'KILL QUERY ID ?', values: [queryId] },
}
