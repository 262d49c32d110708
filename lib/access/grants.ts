// Every grant there is, by area; routes, the ACL and its document are printed from this list.

/** Area → its words. The grant's name is `<area>-<word>`. */
const areas = {
  db: [
    ...['start', 'stop', 'kill', 'optimize', 'analyse', 'replication', 'backup', 'restore', 'readonly', 'logs'],
    ...['show-variables', 'show-status', 'show-schema', 'show-process', 'show-logs', 'capture', 'maintenance'],
    ...['config-create', 'config-ressource', 'config-flag', 'config-get', 'config-accept-compliance', 'jobs'],
  ],
  cluster: [
    ...['create', 'delete', 'create-monitor', 'drop-monitor', 'failover', 'switchover', 'rolling', 'settings', 'grant'],
    ...['analyze', 'checksum', 'checksum-repair', 'sharding', 'replication', 'certificates-rotate', 'bench', 'process'],
    ...['certificates-reload', 'test', 'traffic', 'show-backups', 'show-jobs', 'show-routes', 'show-graphs'],
    ...['config-graphs', 'show-agents', 'show-certificates', 'rotate-passwords', 'reset-sla', 'debug', 'staging'],
    ...['alert', 'docker'],
  ],
  proxy: [
    'config-create',
    'config-get',
    'config-ressource',
    'config-flag',
    'config-accept-compliance',
    'start',
    'stop',
  ],
  prov: [
    ...['cluster-provision', 'cluster-unprovision', 'cluster', 'proxy-provision', 'proxy-unprovision'],
    ...['db-provision', 'db-unprovision', 'app-provision', 'app-unprovision', 'settings'],
  ],
  app: ['config', 'docker', 'deployment', 'start', 'stop', 'git'],
  global: ['settings', 'grant', 'admin-show', 'admin-config'],
  grant: ['show', 'add', 'drop', 'modify', 'global'],
  sales: ['validate', 'refuse', 'unsubscribe'],
  terminal: ['db', 'proxy', 'app', 'global'],
  token: ['create', 'manage'],
} as const

type Areas = typeof areas
type NameIn<A extends keyof Areas> = A extends keyof Areas ? `${A}-${Areas[A][number]}` : never

/** The name of one grant, as users write it in `api-credentials-acl-allow`. */
export type Grant = NameIn<keyof Areas> | 'show' | 'extrole'

/** All grants, in the order of their areas. */
export const grants: readonly Grant[] = [
  ...Object.entries(areas).flatMap(([area, words]) => words.map((word) => `${area}-${word}` as Grant)),
  'show',
  'extrole',
]

/** What changes settings of the whole service. */
export const globalGrants = ['global-settings', 'global-admin-config'] as const satisfies readonly Grant[]

/** Whether the grant permits a change, rather than only reading. */
export const isChanging = (grant: Grant): boolean => !/(^|-)show(-|$)/.test(grant)

/** Every grant whose name starts with `word`; `*` is all of them; nothing for a word that matches none. */
export const expandGrant = (word: string): readonly Grant[] =>
  word === '*' ? grants : word === '' ? [] : grants.filter((grant) => grant.startsWith(word))
