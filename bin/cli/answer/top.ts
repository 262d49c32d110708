// What servers are busy with: counters per second, and the sessions that are not idle.
import type { Process, Top } from '../../../http/client/api/generated.js'
import { counted } from '../../../lib/base/counted.js'
import { paint } from '../output/paint.js'
import { type Column, renderTable } from '../output/table.js'
import { cellText } from '../output/value.js'

const columns: readonly Column<Process>[] = [
  { title: 'id', align: 'right', isKey: true, text: ({ id }) => String(id) },
  { title: 'user', text: ({ user }) => user },
  { title: 'host', text: ({ host }) => host },
  { title: 'db', text: ({ db }) => cellText(db) },
  { title: 'seconds', align: 'right', text: ({ time }) => cellText(time) },
  { title: 'command', text: ({ command }) => command },
  { title: 'statement', oneLine: true, text: ({ info, state }) => cellText(info) || cellText(state) },
]

export const renderTop = (servers: readonly Top[]): string =>
  servers.length === 0 ? 'No server answers.' : servers.map(renderServer).join('\n\n')

function renderServer({ url, header, processlist }: Top): string {
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
