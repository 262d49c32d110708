// The text of mariadb-binlog as what can be executed: blocks of row events, each with its tables, and other statements.

export type BinlogItem =
  | { readonly type: 'events'; readonly sql: string; readonly tables: readonly string[] }
  | { readonly type: 'statement'; readonly sql: string }

/** Of a table map event: its type, the length of the header of an event, and of what stands before the names. */
const TABLE_MAP = 0x13
const HEADER = 19
const BEFORE_NAMES = 8

/** Items in the order of the text. Transactions and session settings are left out: the reader has a transaction of its own. */
export async function* readItems(lines: AsyncIterable<string>): AsyncGenerator<BinlogItem> {
  let block: string[] | undefined
  let statement: string[] = []
  for await (const line of lines) {
    if (block) {
      if (!line.startsWith("'")) block.push(line)
      else {
        yield { type: 'events', sql: `BINLOG '\n${block.join('\n')}\n'`, tables: tablesOf(block) }
        block = undefined
      }
    } else if (/^BINLOG '/.test(line)) block = []
    else if (statement.length > 0 || !isFrame(line)) {
      statement.push(line)
      if (/\/\*!\*\/;?\s*$/.test(line)) {
        yield { type: 'statement', sql: statement.join('\n').replace(/\s*\/\*!\*\/;?\s*$/, '') }
        statement = []
      }
    }
  }
  if (statement.length > 0) yield { type: 'statement', sql: statement.join('\n') }
}

const isFrame = (line: string): boolean =>
  /^(#|\/\*|SET |START TRANSACTION|BEGIN|COMMIT|ROLLBACK|DELIMITER|use `)/i.test(line) || line.trim() === ''

/** Every event is a text of its own: the first line of each begins with the header. */
function tablesOf(lines: readonly string[]): readonly string[] {
  const tables: string[] = []
  let event = ''
  for (const line of lines) {
    event += line
    const bytes = Buffer.from(event, 'base64')
    const length = bytes.length >= HEADER ? bytes.readUInt32LE(9) : Number.POSITIVE_INFINITY
    if (bytes.length < length) continue
    if (bytes[4] === TABLE_MAP) tables.push(tableOf(bytes))
    event = ''
  }
  return tables
}

function tableOf(event: Buffer): string {
  const at = HEADER + BEFORE_NAMES
  const schemaLength = event[at] ?? 0
  const schema = event.toString('utf8', at + 1, at + 1 + schemaLength)
  const next = at + 1 + schemaLength + 1
  const nameLength = event[next] ?? 0
  return `${schema}.${event.toString('utf8', next + 1, next + 1 + nameLength)}`
}
