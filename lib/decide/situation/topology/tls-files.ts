// The TLS files with which a replica cannot connect to its source. Pure.
import { isTlsRefused } from '../../../dialect/index.js'
import type { Channel, SourceFiles } from '../../../model/server/reading.js'
import type { Situation } from '../situation.js'

interface Cause {
  readonly pattern: RegExp
  readonly file: 'ca' | 'cert' | 'key'
  readonly means: string
}

/** By the words of the client library of both flavours. */
const causes: readonly Cause[] = [
  {
    pattern: /private key/i,
    file: 'key',
    means: 'the key cannot be read there, or does not belong to the certificate',
  },
  { pattern: /get certificate/i, file: 'cert', means: 'the certificate cannot be read there' },
  { pattern: /verify_paths/i, file: 'ca', means: 'the CA file cannot be read there' },
  {
    pattern: /.*/,
    file: 'ca',
    means: 'the connection with TLS fails; the CA file may not be that of the certificate of its source',
  },
]

/** `key /etc/ssl/replica.pem (replication-ssl-key): the key cannot be read there, … error 2026: …` No full stop. */
export function tlsFailure(files: SourceFiles | undefined, message: string): string {
  const { file, means } = causes.find(({ pattern }) => pattern.test(message)) ?? { file: 'ca', means: '' }
  const path = files?.[file]
  const named = path === undefined ? `no ${file} file` : `${file} ${path}`
  return `${named} (replication-ssl-${file}), on the host of that server: ${means}. Error 2026: ${message}`
}

/** Why the receiver of a replica does not connect, where that is TLS or its files. */
export const refusedFiles = ({ io, ioError, source }: Channel): string | undefined =>
  io !== 'running' && isTlsRefused(ioError) ? tlsFailure(source.tlsFiles, ioError.message) : undefined

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
