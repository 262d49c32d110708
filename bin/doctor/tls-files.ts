// Checks of the certificates that the settings name: readable, in force, fitting their keys, not about to expire.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tlsFiles } from '../../actors/cluster/state/message/wires.js'
import { DAY, now } from '../../lib/base/time.js'
import { readTls } from '../../lib/connect/sql/tls-files.js'
import type { Configuration } from '../../lib/settings/index.js'
import { reasonOf } from '../../lib/store/kit/atomic-write.js'
import { judgePair } from '../../lib/tls/index.js'
import type { Verdict } from './verdict.js'

const SOON = 30 * DAY

export async function checkTls({ server, clusters }: Configuration): Promise<readonly Verdict[]> {
  const [cert, key] = [server.settings['monitoring-ssl-cert'], server.settings['monitoring-ssl-key']]
  const own = cert && key ? [await checkOwn(cert, key)] : []
  const ofClusters = await Promise.all(
    [...clusters].map(([name, { settings }]) => checkCluster(name, tlsFiles({ name, settings }))),
  )
  return [...own, ...ofClusters.flat()]
}

async function checkOwn(certFile: string, keyFile: string): Promise<Verdict> {
  const about = { check: 'tls', subject: certFile } as const
  const remedy = 'Replace both files; the manager reads them at its next start.'
  try {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    const wrong = judgePair({ cert, key }, now())
    return wrong === undefined ? expiry(about, cert) : { ...about, state: 'problem', fact: wrong, remedy }
  } catch (error) {
    return { ...about, state: 'problem', fact: reasonOf(error), remedy }
  }
}

async function checkCluster(name: string, files: Parameters<typeof readTls>[0]): Promise<readonly Verdict[]> {
  const tls = await readTls(files)
  if (tls === undefined) return []
  const about = { check: 'tls', subject: `[${name}]` } as const
  if (tls.unusable !== undefined)
    return [
      {
        ...about,
        state: 'problem',
        fact: tls.unusable,
        remedy: 'No session is opened to this cluster: correct the files or the db-servers-tls settings.',
      },
    ]
  const texts = [tls.ca, tls.cert].filter((text) => text !== undefined)
  return texts.map((text) => expiry(about, text))
}

function expiry(about: Pick<Verdict, 'check' | 'subject'>, cert: string): Verdict {
  const { validTo, subject } = new X509Certificate(cert)
  const left = Date.parse(validTo) - now()
  const fact = `${subject.replaceAll('\n', ', ')} is valid until ${new Date(validTo).toISOString()}`
  if (left <= 0) return { ...about, state: 'problem', fact, remedy: 'It has expired: replace it.' }
  return left < SOON
    ? { ...about, state: 'warning', fact, remedy: 'Replace it before that.' }
    : { ...about, state: 'ok', fact }
}
