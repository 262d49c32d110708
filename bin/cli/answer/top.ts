// What servers are busy with: counters per second, and the sessions that are not idle.
import { counted } from '../../../lib/base/counted.js'
import { paint } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'
import { cellText } from '../output/value.js'

interface Session {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly db?: unknown
  readonly command: string
  readonly time?: unknown
  readonly state?: unknown
  readonly info?: unknown
}

/** One server of `C/top`. */
export interface TopEntry {
  readonly url: string
  readonly header: {
    readonly graphs: readonly {
      readonly name: string
      readonly data: readonly { readonly name: string; readonly value: number }[]
    }[]
  }
  readonly processlist: readonly Session[]
}

const columns: readonly Column<Session>[] = [
  { title: 'id', align: 'right', isKey: true, text: ({ id }) => String(id) },
  { title: 'user', text: ({ user }) => user },
  { title: 'host', text: ({ host }) => host },
  { title: 'db', text: ({ db }) => cellText(db) },
  { title: 'seconds', align: 'right', text: ({ time }) => cellText(time) },
  { title: 'command', text: ({ command }) => command },
  { title: 'statement', oneLine: true, text: ({ info, state }) => cellText(info) || cellText(state) },
]

export const renderTop = (servers: readonly TopEntry[]): string =>
  servers.length === 0 ? 'No server answers.' : servers.map(renderServer).join('\n\n')

function renderServer({ url, header, processlist }: TopEntry): string {
  const active = processlist.filter(({ command }) => command !== 'Sleep')
  const idle = processlist.length - active.length
  return [
    paint('bold', url),
    ...header.graphs.flatMap(({ name, data }) => {
      const rates = data.filter(({ value }) => value > 0).map(({ name: what, value }) => `${what} ${value}`)
      return rates.length === 0 ? [] : [`  ${name} a second: ${rates.join(', ')}`]
    }),
    ...(active.length === 0 ? [] : [renderTable(columns, active)]),
    ...(active.length === 0 && idle === 0 ? ['  No sessions.'] : []),
    ...(idle > 0 ? [paint('dim', `  ${counted(idle, 'idle session')}.`)] : []),
  ].join('\n')
}
