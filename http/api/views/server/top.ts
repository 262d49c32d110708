// What servers are busy with, as clients draw it: active sessions and five small charts.
import type { Busy } from '../../../../actors/protocol/cluster.js'
import { renderProcesses } from './live.js'

/** Charts of counters per second: the name of each line, and the counters that make it. */
const charts: readonly { readonly name: string; readonly lines: readonly (readonly [string, ...string[]])[] }[] = [
  {
    name: 'Queries',
    lines: [
      ['Select', 'com_select'],
      ['Insert', 'com_insert', 'com_insert_select'],
      ['Update', 'com_update', 'com_update_multi'],
      ['Delete', 'com_delete', 'com_delete_multi'],
      ['Replace', 'com_replace', 'com_replace_select'],
    ],
  },
  {
    name: 'Rows',
    lines: [
      ['Read', ...['first', 'key', 'last', 'next', 'prev', 'rnd', 'rnd_next'].map((word) => `handler_read_${word}`)],
      ['Written', 'handler_write'],
      ['Updated', 'handler_update'],
      ['Deleted', 'handler_delete'],
    ],
  },
  {
    name: 'Swap',
    lines: [
      ['Disk Tables', 'created_tmp_disk_tables'],
      ['Files', 'created_tmp_files'],
      ['Sort Merges', 'sort_merge_passes'],
    ],
  },
  {
    name: 'Transactions',
    lines: [
      ['Begin', 'com_begin'],
      ['Commit', 'com_commit'],
      ['Rollback', 'com_rollback'],
    ],
  },
  {
    name: 'Cache Miss',
    lines: [
      ['Buffer Pool', 'innodb_buffer_pool_reads'],
      ['Table Open', 'opened_tables'],
      ['Table Definition', 'opened_table_definitions'],
      ['Key', 'key_reads'],
    ],
  },
]

/** `C/top`: one entry a server that answers. */
export const renderTop = (servers: readonly Busy[]) =>
  servers.map(({ server, url, processes, rates }) => ({
    id: server,
    url,
    header: { graphs: charts.map(({ name, lines }) => ({ name, data: lines.map((line) => point(line, rates)) })) },
    processlist: renderProcesses(processes, url),
  }))

/** Whole numbers: existing clients decode no other ones here. Less than one a second counts as one, so that it is not shown as none. */
function point([name, ...counters]: readonly [string, ...string[]], rates: Busy['rates']) {
  const sum = counters.reduce((total, counter) => total + (rates[counter] ?? 0), 0)
  return { name, value: sum < 1 ? Math.ceil(sum) : Math.round(sum) }
}
