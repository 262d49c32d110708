// Masks passwords in displayed statements: process lists, logs and samples contain statements.

import type { Rows } from '../statement/statement.js'
import type { ReadStep } from './read.js'

/** What precedes a secret in a statement; the secret is the quoted text after it. */
const before = [
  String.raw`IDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS|USING)(?:\s+PASSWORD)?\s+`,
  String.raw`VIA\s+\w+\s+(?:USING|AS)\s+`,
  String.raw`PASSWORD\s*\(\s*`,
  String.raw`SET\s+PASSWORD(?:\s+FOR\s+\S+)?\s*(?:=|TO)\s*`,
  String.raw`\b\w*(?:PASSWORD|SECRET|PASSPHRASE|TOKEN)\w*\s*=\s*`,
  String.raw`ENCODE\s*\([^,()]*,\s*|(?:AES|DES)_(?:EN|DE)CRYPT\s*\([^,()]*,\s*`,
].join('|')

const secrets = new RegExp(String.raw`(${before})(?:'(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|0x[0-9a-f]+)`, 'gis')

/** The statement with `*:*` in place of every password in it, truncated statements included. */
export const maskSecrets = (statement: string): string => statement.replace(secrets, "$1'*:*'")

/** The rows with such statements in these columns masked. */
export const maskColumn =
  (...columns: readonly string[]) =>
  (rows: Rows): ReadStep => ({
    type: 'rows',
    rows: rows.map((row) => ({
      ...row,
      ...Object.fromEntries(
        columns.flatMap((column) => {
          const statement = row[column]
          return typeof statement === 'string' ? [[column, maskSecrets(statement)]] : []
        }),
      ),
    })),
  })
