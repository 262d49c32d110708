// Reads one printed column of a decoded row: `@2='text' /* VARSTRING(40) meta=40 nullable=1 is_null=0 */`.
import type { Flavour } from '../../model/server/version.js'
import type { ColumnValue } from './event.js'

const tail = /^ \/\* (.*?) meta=-?\d+ nullable=[01] is_null=[01] \*\/$/

/** The line after `###   `, each character one byte; undefined when it is no column. */
export function parseColumn(line: string, flavour: Flavour): ColumnValue | undefined {
  const position = /^@(\d+)=/.exec(line)
  // The comment is searched from the end: a text may contain something that reads like one.
  const comment = line.lastIndexOf(' /* ')
  const type = tail.exec(line.slice(comment))?.[1]
  if (!position || comment < 0 || type === undefined) return undefined
  const head = { position: Number(position[1]), type }
  const value = line.slice(position[0].length, comment)
  if (value === 'NULL') return { ...head, form: 'null', value: '', exact: true }
  if (value.startsWith("b'")) return { ...head, form: 'bits', value: value.slice(2, -1), exact: true }
  if (value.startsWith("'")) return { ...head, ...parseText(value.slice(1, -1), flavour) }
  const both = /^(-\d+) \((\d+)\)$/.exec(value)
  if (both) return { ...head, form: 'number', value: both[1] ?? '', unsigned: both[2] ?? '', exact: true }
  return { ...head, form: 'number', value, exact: true }
}

type TextValue = Pick<ColumnValue, 'form' | 'value' | 'exact'>

function parseText(text: string, flavour: Flavour): TextValue {
  const { bytes, exact } = flavour === 'mariadb' ? hexRead(text) : { bytes: backslashesRead(text), exact: true }
  const decoded = decodeUtf8(bytes)
  return decoded === undefined || decoded.includes('\0')
    ? { form: 'bytes', value: bytes.toString('hex'), exact }
    : { form: 'text', value: decoded, exact }
}

/** MariaDB prints control characters as `\x0a` and leaves a backslash as it is: `\x0a` may be one byte or four. */
function hexRead(text: string): { readonly bytes: Buffer; readonly exact: boolean } {
  let exact = true
  const plain = text.replace(/\\x([01][0-9a-f])/g, (_, digits: string) => {
    exact = false
    return String.fromCharCode(Number.parseInt(digits, 16))
  })
  return { bytes: Buffer.from(plain, 'latin1'), exact }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  0: '\0',
  Z: '\x1a',
  f: '\f',
  v: '\v',
  a: '\x07',
}

function backslashesRead(text: string): Buffer {
  const plain = text.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, digits: string | undefined, letter: string) =>
    digits === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(digits, 16)),
  )
  return Buffer.from(plain, 'latin1')
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
