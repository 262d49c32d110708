// The statements that a server of a story received, in the order in which it received them: its general query log.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { accounts, Node } from '../databases/node.js'

/** Server options: every statement is logged before it is executed. */
export const generalLog = ['--general-log=ON', '--general-log-file=general.log'] as const

/** MariaDB: the statement that closes a server for writes. */
export const FENCE = 'SET GLOBAL read_only = 1'

const fileOf = ({ dir }: Node): string => path.join(dir, 'data/general.log')

/** How long the log of a node is now, bytes. Nothing is added while the node hangs or is down. */
export const logLength = (node: Node): number => statSync(fileOf(node), { throwIfNoEntry: false })?.size ?? 0

/** The beginning of an entry: the time or, within a second, nothing; session, command. Other lines continue a text. */
const HEAD = /^(?:\d{6} [ \d]\d:\d\d:\d\d)?\t+ *(\d+) ([A-Z][A-Za-z ]*)\t/

/** What changes nothing on the server but the session itself, or ends a session. */
const HARMLESS = /^(SELECT|WITH|SHOW|SET SESSION|SET @|KILL)\b/

/** Statements of an account that change the server, received after the log was so long, in their order. */
export function changesBy(node: Node, account: keyof typeof accounts, since = 0): readonly string[] {
  const sessions = new Set<string>()
  /** Texts of queries, each with the lines that continue it. */
  const queries: string[][] = []
  let length = 0
  let isWanted = false
  for (const line of readFileSync(fileOf(node), 'utf8').split('\n')) {
    const [head, session = '', command] = HEAD.exec(line) ?? []
    const text = line.slice(head?.length ?? 0)
    if (command === 'Connect' && text.startsWith(`${account}@`)) sessions.add(session)
    else if (command === 'Connect') sessions.delete(session)
    if (head) isWanted = command === 'Query' && sessions.has(session) && length >= since
    if (isWanted && head) queries.push([text])
    else if (isWanted) queries.at(-1)?.push(text)
    length += Buffer.byteLength(line) + 1
  }
  return queries
    .flatMap((lines) => lines.join('\n').split(/;\s*/))
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '' && !HARMLESS.test(statement))
}
