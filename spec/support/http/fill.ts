// Addresses of rows with values in place of their parameters, as the scripted manager knows them.

const values: Readonly<Record<string, string>> = {
  cluster: 'demo',
  server: 'db2',
  source: 'db1',
  port: '3306',
  host: 'db9',
  type: 'mariadb',
  name: 'shop',
  runbook: 'ERR00012',
  proxy: 'px1',
  digest: '0123456789abcdef0123456789abcdef',
  job: '7',
  schema: 'shop',
  table: 'orders',
  task: 'analyze',
  setting: 'failover-limit',
  change: '17',
  commit: '3f786850e387550fdab836ed7e6dc881de23001b',
  state: 'on',
  topology: 'master-slave',
  orchestrator: 'kube',
  value: '3',
  fingerprint: 'ab'.repeat(32),
  tag: 'ssd',
  variable: 'max_connections',
  queryTime: '2.5',
  list: 'whitelist',
  template: 'minimal',
  channel: 'mail',
  month: '2026-11',
  silence: '5f1e0c7a9b3d',
}

/** The path with its parameters filled in; role checks are asked of the server that has the role. */
export function fillPath(template: string, changes: Readonly<Record<string, string>> = {}): string {
  const given: Readonly<Record<string, string>> = {
    ...values,
    ...(/is-master|master-status|primary$/.test(template) ? { server: 'db1' } : {}),
    ...(template.includes('/job-cancel/') ? { task: 'optimize' } : {}),
    ...(template.includes('divergence/') ? { action: 'apply', direction: 'apply' } : {}),
    ...(template.includes('/reseed/') ? { backupMethod: 'logicalmaster' } : {}),
    ...(template.includes('/write-log/') ? { task: 'mariabackup' } : {}),
    ...(template.includes('/set-cron/') ? { setting: 'scheduler-rolling-restart-cron' } : {}),
    ...(template.includes('/job-state/') ? { state: 'done' } : {}),
    ...changes,
  }
  return template.replace(/:([a-zA-Z]+)/g, (_, name: string) => given[name] ?? name)
}
