// The demo's configuration file and what is remembered of it between runs.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import type { SettingName } from '../../lib/settings/index.js'
import type { Ports } from './ports.js'

export interface Demo {
  readonly directory: string
  readonly ports: Ports
  /** Password of the user `admin`. */
  readonly password: string
  /** Password of the accounts in the databases. */
  readonly databasePassword: string
}

const stateFile = (directory: string): string => path.join(directory, 'demo.json')

/** `monitoring-datadir` of the demo. */
export const workingDirectory = (directory: string): string => path.join(directory, 'manager')

export const configurationFile = (directory: string): string => path.join(directory, 'config.toml')

/** What the last run chose, or undefined on the first. */
export async function readDemo(directory: string): Promise<Demo | undefined> {
  try {
    return { ...(JSON.parse(await readFile(stateFile(directory), 'utf8')) as Demo), directory }
  } catch {
    return undefined
  }
}

export const newPassword = (): string => randomBytes(9).toString('base64url')

/** Writes the configuration (mode 0600: it holds passwords) and remembers the choices. */
export async function writeDemo(demo: Demo): Promise<void> {
  await mkdir(demo.directory, { recursive: true, mode: modeOf('scratch') })
  await writeFile(stateFile(demo.directory), `${JSON.stringify(demo)}\n`, { mode: modeOf('configuration') })
  await writeFile(configurationFile(demo.directory), renderConfiguration(demo), { mode: modeOf('configuration') })
}

export function renderConfiguration({ directory, ports, password, databasePassword }: Demo): string {
  const server = {
    'monitoring-datadir': workingDirectory(directory),
    'api-port': ports.api,
    'api-bind': '127.0.0.1',
    'http-port': ports.http,
    'api-credentials': `admin:${password}`,
    'api-credentials-acl-allow': 'admin:cluster db proxy prov global grant show',
    // Archives hold private keys: nobody downloads them without a login or a token of the server (WARN0310).
    'api-config-download-tokens': true,
  }
  const cluster = {
    'db-servers-hosts': [ports.db1, ports.db2, ports.db3].map((port) => `127.0.0.1:${port}`).join(','),
    'db-servers-credential': `manager:${databasePassword}`,
    'replication-credential': `replication:${databasePassword}`,
    'force-slave-heartbeat-time': 1,
    'failover-mode': 'automatic',
    'backup-binlogs': true,
    'prov-orchestrator': 'local',
    'prov-db-memory': 256,
    'prov-db-tags': 'semisync,row,innodb,noquerycache,threadpool,slow,readonly,compressbinlog,gtidstrict,linux,pkg',
  }
  return [
    '# Created by bin/quickstart at each start: what you change with bin/manager-cli or the API is kept, what you change',
    '# here is not. A production cluster needs little more than this.',
    section('Default', server),
    section('demo', cluster),
  ].join('\n')
}

function section(name: string, values: Partial<Record<SettingName, string | number | boolean>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
  return `[${name}]\n${lines.join('')}`
}
