// Reads the text of SHOW ENGINE INNODB STATUS into names and values; the words differ a little between versions.
import type { Rows } from '../statement/statement.js'
import { maskSecrets } from './mask.js'
import { LONGEST_TEXT } from './read.js'

/** Names of the capture groups of each pattern, in order. */
const figures: readonly [pattern: RegExp, ...names: string[]][] = [
  [/^Trx id counter (\w+)/m, 'TRX_ID_COUNTER'],
  [/^Purge done for trx's n:o < (\w+) undo n:o < (\w+)/m, 'PURGE_TRX', 'PURGE_UNDO'],
  [/^History list length (\d+)/m, 'HISTORY_LIST_LENGTH'],
  [/^OS WAIT ARRAY INFO: reservation count (\d+)/m, 'OS_WAIT_RESERVATIONS'],
  [/^OS WAIT ARRAY INFO: signal count (\d+)/m, 'OS_WAIT_SIGNALS'],
  [/^srv_master_thread loops: (\d+) srv_active/m, 'MAIN_LOOPS_ACTIVE'],
  [/^srv_master_thread loops: .*?(\d+) srv_idle/m, 'MAIN_LOOPS_IDLE'],
  [/^srv_master_thread log flush and writes: (\d+)/m, 'MAIN_LOG_FLUSHES'],
  [/^Pending flushes \(fsync\)(?: log)?: (\d+)/m, 'PENDING_FSYNCS'],
  [/^(\d+) OS file reads, (\d+) OS file writes, (\d+) OS fsyncs/m, 'OS_FILE_READS', 'OS_FILE_WRITES', 'OS_FSYNCS'],
  [
    /^([\d.]+) reads\/s, (\d+) avg bytes\/read, ([\d.]+) writes\/s, ([\d.]+) fsyncs\/s/m,
    ...['FILE_READS_PER_SECOND', 'BYTES_PER_READ', 'FILE_WRITES_PER_SECOND', 'FSYNCS_PER_SECOND'],
  ],
  [/^Ibuf: size (\d+), free list len (\d+), seg size (\d+)/m, 'IBUF_SIZE', 'IBUF_FREE_LIST', 'IBUF_SEGMENT_SIZE'],
  [/^Hash table size (\d+)/m, 'HASH_TABLE_SIZE'],
  [
    /^([\d.]+) hash searches\/s, ([\d.]+) non-hash searches\/s/m,
    ...['HASH_SEARCHES_PER_SECOND', 'NON_HASH_SEARCHES_PER_SECOND'],
  ],
  [/^Log sequence number\s+(\d+)/m, 'LOG_SEQUENCE_NUMBER'],
  [/^Log flushed up to\s+(\d+)/m, 'LOG_FLUSHED_UP_TO'],
  [/^Pages flushed up to\s+(\d+)/m, 'PAGES_FLUSHED_UP_TO'],
  [/^Last checkpoint at\s+(\d+)/m, 'LAST_CHECKPOINT_AT'],
  [/^Total large memory allocated (\d+)/m, 'TOTAL_MEMORY_ALLOCATED'],
  [/^Dictionary memory allocated (\d+)/m, 'DICTIONARY_MEMORY_ALLOCATED'],
  [/^Buffer pool size\s+(\d+)/m, 'BUFFER_POOL_SIZE'],
  [/^Free buffers\s+(\d+)/m, 'FREE_BUFFERS'],
  [/^Database pages\s+(\d+)/m, 'DATABASE_PAGES'],
  [/^Old database pages\s+(\d+)/m, 'OLD_DATABASE_PAGES'],
  [/^Modified db pages\s+(\d+)/m, 'MODIFIED_DB_PAGES'],
  [/^Pending reads\s*:?\s+(\d+)/m, 'PENDING_READS'],
  [/^Pending writes: LRU (\d+), flush list (\d+)/m, 'PENDING_LRU_WRITES', 'PENDING_FLUSH_LIST_WRITES'],
  [/^Pages made young (\d+), not young (\d+)/m, 'PAGES_MADE_YOUNG', 'PAGES_NOT_MADE_YOUNG'],
  [/^Pages read (\d+), created (\d+), written (\d+)/m, 'PAGES_READ', 'PAGES_CREATED', 'PAGES_WRITTEN'],
  [/^Buffer pool hit rate (\d+) \/ 1000/m, 'BUFFER_POOL_HIT_RATE_PER_MILLE'],
  [
    /^Number of rows inserted (\d+), updated (\d+), deleted (\d+), read (\d+)/m,
    ...['ROWS_INSERTED', 'ROWS_UPDATED', 'ROWS_DELETED', 'ROWS_READ'],
  ],
  [/^(\d+) read views open inside InnoDB/m, 'OPEN_READ_VIEWS'],
  [/^(\d+) queries inside InnoDB, (\d+) queries in queue/m, 'QUERIES_INSIDE', 'QUERIES_IN_QUEUE'],
]

/** Sections with prose instead of figures: kept as text. */
const stories: readonly [title: string, name: string][] = [
  ['LATEST DETECTED DEADLOCK', 'LATEST_DETECTED_DEADLOCK'],
  ['LATEST FOREIGN KEY ERROR', 'LATEST_FOREIGN_KEY_ERROR'],
]

/** Rows of Variable_name and Value. */
export function parseEngineStatus(text: string): Rows {
  const counts = { ACTIVE_TRANSACTIONS: text.match(/^---TRANSACTION .*, ACTIVE/gm)?.length ?? 0 }
  const found = figures.flatMap(([pattern, ...names]) => {
    const groups = pattern.exec(text)?.slice(1) ?? []
    return groups.map((value, index) => row(names[index] ?? '', value))
  })
  const sections = stories.flatMap(([title, name]) => {
    const story = sectionOf(text, title)
    return story === '' ? [] : [row(name, maskSecrets(story.slice(0, LONGEST_TEXT)))]
  })
  return [...Object.entries(counts).map(([name, value]) => row(name, `${value}`)), ...found, ...sections]
}

const row = (name: string, value: string) => ({ Variable_name: name, Value: value })

/** The text below a title that is underlined above and below, up to the next title. */
function sectionOf(text: string, title: string): string {
  const start = text.indexOf(`\n${title}\n`)
  if (start < 0) return ''
  const body = text.slice(start + title.length + 2).replace(/^-+\n/, '')
  const end = body.search(/^-{3,}\n[A-Z][A-Z /]+\n-{3,}\n/m)
  return (end < 0 ? body : body.slice(0, end)).trim()
}
