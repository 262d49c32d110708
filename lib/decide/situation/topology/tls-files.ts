// The TLS files with which a replica cannot connect to its source. Pure.
import { isEndedInLogin, isTlsRefused } from '../../../dialect/index.js'
import type { Channel, SourceFiles } from '../../../model/server/reading.js'
import type { Situation } from '../situation.js'

interface Cause {
  readonly fits: (error: Channel['ioError']) => boolean
  readonly file: 'ca' | 'cert' | 'key'
  readonly means: string
}

const says =
  (pattern: RegExp): Cause['fits'] =>
  ({ message }) =>
    pattern.test(message)

/** By the words of the client library of both flavours. */
const causes: readonly Cause[] = [
  {
    fits: says(/private key/i),
    file: 'key',
    means: 'the key cannot be read there, or does not belong to the certificate',
  },
  { fits: says(/get certificate/i), file: 'cert', means: 'the certificate cannot be read there' },
  { fits: says(/verify_paths/i), file: 'ca', means: 'the CA file cannot be read there' },
  {
    // TLS 1.2: the source says it in the handshake.
    fits: (error) => says(/alert/i)(error) || isEndedInLogin(error),
    file: 'cert',
    means: 'its source does not accept the certificate: it may be of another CA than the ssl_ca of the source',
  },
  {
    fits: () => true,
    file: 'ca',
    means:
      'the connection with TLS fails; the CA file may not be that of the certificate of its source, or the source may not accept the certificate of the replica (replication-ssl-cert)',
  },
]

/** `key /etc/ssl/replica.pem (replication-ssl-key): the key cannot be read there, … error 2026: …` No full stop. */
export function tlsFailure(files: SourceFiles | undefined, error: Channel['ioError']): string {
  const { code, message } = error
  const { file, means } = causes.find(({ fits }) => fits(error)) ?? { file: 'ca', means: '' }
  const path = files?.[file]
  const named = path === undefined ? `no ${file} file` : `${file} ${path}`
  return `${named} (replication-ssl-${file}), on the host of that server: ${means}. Error ${code}: ${message}`
}

/** Why the receiver of a replica does not connect, where that is TLS or its files. */
export function refusedFiles({ io, ioError, source: { tls, tlsFiles } }: Channel): string | undefined {
  if (io === 'running') return undefined
  const isRefused = isTlsRefused(ioError) || (tls === true && tlsFiles?.cert !== undefined && isEndedInLogin(ioError))
  return isRefused ? tlsFailure(tlsFiles, ioError) : undefined
}

/** Whether a step failed with the text of `refusedFiles`. */
export const isTlsFailureText = (text: string): boolean =>
  /\(replication-ssl-\w+\), on the host of that server: /.test(text)

/** It cannot connect with its files, and a repoint would give it others: those of the settings, else those of replicas that run. */
export function hasOtherFiles(channel: Channel, { settings, memory }: Pick<Situation, 'settings' | 'memory'>): boolean {
  if (refusedFiles(channel) === undefined) return false
  const [ca, cert] = [settings['replication-ssl-ca'], settings['replication-ssl-cert']]
  const key = settings['replication-ssl-key'] || cert
  const own = { ...(ca === '' ? {} : { ca }), ...(cert === '' ? {} : { cert, key }) }
  const wanted: SourceFiles = Object.keys(own).length > 0 ? own : (memory.sourceTls?.files ?? {})
  const files = channel.source.tlsFiles ?? {}
  return (['ca', 'cert', 'key'] as const).some((one) => wanted[one] !== undefined && wanted[one] !== files[one])
}
