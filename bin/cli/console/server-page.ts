// The page of one server: everything that the manager knows about it that a person asks for at first. Pure.
import {
  addressText,
  answers,
  lagText,
  positionOf,
  semiSyncOf,
  sourceOf,
  type WireAlert,
  type WireAlerts,
  type WireServer,
} from '../../../http/client/wire.js'
import { padText } from '../output/text-width.js'
import { type Line, wrapped } from './lines.js'

/** Fields one below the other, then its findings. */
export function serverLines(server: WireServer, alerts: WireAlerts | undefined, columns: number): readonly Line[] {
  const own = [...(alerts?.errors ?? []), ...(alerts?.warnings ?? [])].filter(isAbout(server))
  return [
    ...fieldsOf(server).flatMap(([name, value]) => wrapped(value, columns, { text: padText(name, 14), style: 'bold' })),
    [],
    ...(own.length === 0
      ? [[{ text: 'No findings of its own.', style: 'green' as const }]]
      : own.flatMap(({ number, desc, hint }) =>
          wrapped([desc, hint].filter(Boolean).join(' '), columns, { text: `${number} `, style: 'yellow' }),
        )),
  ]
}

const isAbout =
  ({ name }: WireServer) =>
  ({ server }: Pick<WireAlert, 'server'>): boolean =>
    server === name

function fieldsOf(server: WireServer): readonly (readonly [string, string])[] {
  const source = sourceOf(server)
  const now = (text: string): string => (answers(server) ? text : '- (it does not answer)')
  return [
    ['server', `${server.name} (${addressText(server)}, ${server.id})`],
    ['state', server.state],
    ['version', versionText(server) || '-'],
    ['source', source ? addressText(source) : 'none'],
    ['lag', now(lagText(server))],
    ['replication', server.replicationHealth || '-'],
    ['read-only', now(server.readOnly || '-')],
    ['semi-sync', now(semiSyncOf(server))],
    ['position', positionOf(server) || '-'],
    ['failed probes', String(server.failCount)],
    ['maintenance', server.isMaintenance ? 'on' : 'off'],
    ['election', server.prefered ? 'preferred' : server.ignored ? 'ignored' : 'unrated'],
  ]
}

function versionText({ dbVersion }: WireServer): string {
  if (!dbVersion) return ''
  const { flavor = '', major = 0, minor = 0, release = 0 } = dbVersion
  return `${flavor} ${major}.${minor}.${release}`.trim()
}
