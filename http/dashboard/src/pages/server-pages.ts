// The pages of one server, in the order of its navigation.
const S = '/c/:cluster/s/:server'

const forms = [
  ['', 'Overview', () => import('./server/overview-page.js')],
  ['/charts', 'Charts', () => import('./server/charts-page.js')],
  ['/processlist', 'Sessions', () => import('./server/processlist-page.js')],
  ['/queries', 'Queries', () => import('./server/queries-page.js')],
  ['/locks', 'Locks', () => import('./server/locks-page.js')],
  ['/innodb', 'InnoDB', () => import('./server/innodb-page.js')],
  ['/variables', 'Variables', () => import('./server/variables-page.js')],
  ['/status', 'Status', () => import('./server/status-page.js')],
  ['/tables', 'Tables', () => import('./server/tables-page.js')],
  ['/logs', 'Logs', () => import('./server/logs-page.js')],
  ['/response-times', 'Response times', () => import('./server/response-times-page.js')],
] as const

export const serverPages = forms.map(([word, title, load]) => ({
  ...{ path: `${S}${word}`, title: `${title} of :server`, load },
  offered: { in: 'server' as const, as: title },
}))
