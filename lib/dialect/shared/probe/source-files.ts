// The files of a replica's TLS connection to its source: read from its status, and set with its source. Both flavours name them alike.
import type { SourceFiles } from '../../../model/server/reading.js'
import { flagIn, type RowValues, textIn } from '../../statement/rows.js'

type Path = Exclude<keyof SourceFiles, 'verify'>

/** By field: the column of the status behind `Master_` or `Source_`, and the option of the change behind `MASTER_` or `SOURCE_`. */
const names: readonly (readonly [field: Path, column: string, option: string])[] = [
  ['ca', 'SSL_CA_File', 'SSL_CA'],
  ['caPath', 'SSL_CA_Path', 'SSL_CAPATH'],
  ['cert', 'SSL_Cert', 'SSL_CERT'],
  ['key', 'SSL_Key', 'SSL_KEY'],
  ['crl', 'SSL_Crl', 'SSL_CRL'],
  ['crlPath', 'SSL_Crlpath', 'SSL_CRLPATH'],
  ['cipher', 'SSL_Cipher', 'SSL_CIPHER'],
]

/** Of a row of the status; nothing where it uses no TLS. */
export function tlsIn(row: RowValues, prefix: 'Master_' | 'Source_'): { tls?: true; tlsFiles?: SourceFiles } {
  if (!flagIn(row, `${prefix}SSL_Allowed`)) return {}
  const named = names.flatMap(([field, column]) => {
    const text = textIn(row, `${prefix}${column}`)
    return text === '' ? [] : [[field, text] as const]
  })
  const files: SourceFiles = {
    ...Object.fromEntries(named),
    ...(flagIn(row, `${prefix}SSL_Verify_Server_Cert`) ? { verify: true } : {}),
  }
  return { tls: true, ...(Object.keys(files).length > 0 ? { tlsFiles: files } : {}) }
}

/** Options of a change of the source, without the prefix. */
export const fileOptions = (
  files: SourceFiles = {},
): readonly (readonly [option: string, value: string | number])[] => [
  ...names.flatMap(([field, , option]) => (files[field] === undefined ? [] : [[option, files[field]] as const])),
  ...(files.verify ? [['SSL_VERIFY_SERVER_CERT', 1] as const] : []),
]
