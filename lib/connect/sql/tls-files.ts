// Reads the TLS files for connections to databases, and reports the faulty one.
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { SqlTls, TlsFiles } from './session.js'

const titles = { ca: 'CA certificate', cert: 'client certificate', key: 'client key' } as const

/** Undefined when no file is named. Unreadable or mismatched files make it `unusable`. */
export async function readTls(files: TlsFiles): Promise<SqlTls | undefined> {
  const named = (['ca', 'cert', 'key'] as const).flatMap((part) => {
    const file = files[part]
    return file === undefined ? [] : [{ part, file }]
  })
  if (named.length === 0) return undefined
  const read = await Promise.all(
    named.map(async ({ part, file }) => {
      const text = await readFile(file, 'utf8').catch((error: unknown) => new Error(reasonOf(error)))
      if (text instanceof Error) return { part, problem: `${titles[part]} ${file}: ${text.message}` }
      const problem = problemIn(part, text)
      return problem === undefined ? { part, text } : { part, problem: `${titles[part]} ${file}: ${problem}` }
    }),
  )
  const problems = read.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  if (problems.length > 0) return { files, unusable: problems.join('; ') }
  const texts = Object.fromEntries(read.map(({ part, text = '' }) => [part, text]))
  const mismatch = refusal(texts)
  return mismatch === undefined
    ? { ...texts, files }
    : { files, unusable: `client key ${files.key} does not fit client certificate ${files.cert}: ${mismatch}` }
}

function problemIn(part: keyof TlsFiles, text: string): string | undefined {
  const wanted = part === 'key' ? 'PRIVATE KEY' : 'CERTIFICATE'
  if (!new RegExp(`-----BEGIN [A-Z ]*${wanted}-----`).test(text)) return `holds no PEM block "${wanted}"`
  // A key alone can be parsed; a certificate without its key can be parsed as a CA.
  return refusal(part === 'key' ? { key: text } : { ca: text })
}

/** Why OpenSSL rejects the combination of these texts. */
function refusal(texts: Readonly<Record<string, string>>): string | undefined {
  try {
    createSecureContext(texts)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
