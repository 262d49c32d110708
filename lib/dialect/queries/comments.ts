// Comments that servers execute: those with statement text become text or nothing, as the server of this version
// would read them, so that the checked text is the sent text; hints are kept when they affect only the plan.
import { ok, type Result } from '../../base/result.js'
import type { ServerIdentity } from '../../model/server/server.js'
import { begin, unsafe } from './tokens.js'

type Software = Pick<ServerIdentity, 'flavour' | 'version'>

/** The session sets the time limit. https://dev.mysql.com/doc/refman/8.4/en/optimizer-hints.html */
const limit = /\bMAX_EXECUTION_TIME\s*\(\s*\d+\s*\)/gi

/** The statement with nothing hidden in it. Failure: `unsafe-statement`. */
export function resolveComments(statement: string, software: Software): Result<string> {
  const parts: string[] = []
  let at = 0
  let inside = false
  while (at < statement.length) {
    if (inside && statement.startsWith('*/', at)) {
      parts.push(' ')
      inside = false
      at += 2
      continue
    }
    const [kind, text] = begin(statement, at)
    if (kind === 'active') {
      if (inside) return unsafe('holds a comment in a comment that servers act on')
      const opened = openActive(statement, at, software)
      if (!opened.ok) return opened
      parts.push(' ')
      inside = opened.value.inside
      at = opened.value.at
      continue
    }
    if (inside && kind === 'blank' && /^(?:\/\*|--|#)/.test(text))
      return unsafe('holds a comment in a comment that servers act on')
    if (kind === 'open' || text === '') {
      parts.push(statement.slice(at))
      break
    }
    parts.push(kind === 'hint' ? text.replace(limit, ' ') : text)
    at += text.length
  }
  return inside ? unsafe('is cut off in a comment that servers act on') : ok(parts.join(''))
}

/** Where scanning continues: inside the comment when the server executes its content, else after it. */
function openActive(
  statement: string,
  at: number,
  software: Software,
): Result<{ readonly at: number; readonly inside: boolean }> {
  const active = /\/\*(M?)!(\d{5,6})?/y
  active.lastIndex = at
  const [head, ofMariadb, version] = active.exec(statement) ?? []
  // A hint of unknown form.
  if (head === undefined) return unsafe(`holds a comment that servers act on: ${statement.slice(at, at + 20)}`)
  if (runs(software, { ofMariadb: ofMariadb !== '', version: Number(version ?? 0) }))
    return ok({ at: at + head.length, inside: true })
  const end = statement.indexOf('*/', at)
  if (end < 0 || statement.slice(at + head.length, end).includes('/*'))
    return unsafe('holds a comment in a comment that servers act on, or is cut off in one')
  return ok({ at: end + 2, inside: false })
}

/** https://mariadb.com/kb/en/comment-syntax: MariaDB passes over those of MySQL 5.7 and later. */
function runs(
  { flavour, version: { major, minor, patch } }: Software,
  comment: { readonly ofMariadb: boolean; readonly version: number },
): boolean {
  const isMariadb = flavour === 'mariadb'
  if (comment.ofMariadb && !isMariadb) return false
  if (isMariadb && !comment.ofMariadb && comment.version >= 50_700 && comment.version <= 99_999) return false
  return comment.version <= major * 10_000 + minor * 100 + patch
}
