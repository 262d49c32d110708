// Tests and benchmarks of a cluster, which only its own setting permits.
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer, oneOf } from '../../kit/shape.js'

export const benchmarkSettings = {
  test: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Permits what is done to the cluster for its own sake: benchmarks (sysbench) and named tests, which move the primary. For clusters that nobody depends on.',
  }),
  'sysbench-binary-path': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'The program sysbench, 1.0 or later, on the host of the manager; empty: by the search path.',
  }),
  'sysbench-test': setting({
    shape: oneOf([
      ...['oltp_read_write', 'oltp_read_only', 'oltp_write_only', 'oltp_point_select', 'oltp_insert', 'oltp_delete'],
      ...['oltp_update_index', 'oltp_update_non_index', 'select_random_points', 'select_random_ranges'],
    ]),
    default: 'oltp_read_write',
    scope: 'cluster',
    apply: 'live',
    jsonWas: ['sysbenchBinaryTest'],
    doc: 'The test of sysbench that runs.',
  }),
  'sysbench-time': setting({
    shape: integer({ min: 1, max: 86_400, unit: 'seconds' }),
    default: 100,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long sysbench measures; the filling of its tables before comes on top.',
  }),
  'sysbench-threads': setting({
    shape: integer({ min: 1, max: 1_024 }),
    default: 4,
    scope: 'cluster',
    apply: 'live',
    doc: 'Connections of sysbench at once, unless a request names another number.',
  }),
  'sysbench-tables': setting({
    shape: integer({ min: 1, max: 1_000 }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    doc: 'Tables that sysbench works on.',
  }),
  'sysbench-scale': setting({
    shape: integer({ min: 1, max: 100_000 }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    doc: 'Rows of each of these tables, in units of 10,000.',
  }),
}
