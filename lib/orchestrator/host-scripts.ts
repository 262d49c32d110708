// The scripts that hosts and containers run to get their configuration: each one a self-contained file, assembled from
// the parts under share/scripts/configurator.
import { readFile } from 'node:fs/promises'
import { packageVersion, sharePath } from '../base/package-root.js'
import { GENERATED_MARKER } from '../configure/index.js'

export interface HostScript {
  /** Address below `/static/configurator/`; `:orchestrator` stands for one of `containerOrchestrators`. */
  readonly path: string
  readonly summary: string
  /** Files of share/scripts/configurator, in order; the last one runs. */
  readonly parts: readonly string[]
}

/** Who runs databases in containers, whose volume the bootstrap fills. */
export const containerOrchestrators: readonly string[] = ['kube', 'kubernetes', 'opensvc', 'slapos', 'local']

const host = ['base', 'fetch', 'place', 'database'] as const

export const hostScripts = {
  'container-bootstrap': {
    path: ':orchestrator/bootstrap',
    summary: 'Fills the volume of a database container before it starts.',
    parts: ['base', 'fetch', 'place', 'container'],
  },
  'debian-bootstrap': {
    path: 'onpremise/repository/debian/db/bootstrap',
    summary: 'Provisions a database on a Debian host for the first time.',
    parts: [...host, 'debian', 'bootstrap'],
  },
  'redhat-bootstrap': {
    path: 'onpremise/repository/redhat/db/bootstrap',
    summary: 'Provisions a database on a Red Hat host for the first time.',
    parts: [...host, 'redhat', 'bootstrap'],
  },
  'debian-start': {
    path: 'onpremise/repository/debian/db/start',
    summary: 'Starts a provisioned database on a Debian host.',
    parts: [...host, 'debian', 'start'],
  },
  'redhat-start': {
    path: 'onpremise/repository/redhat/db/start',
    summary: 'Starts a provisioned database on a Red Hat host.',
    parts: [...host, 'redhat', 'start'],
  },
  'package-start': {
    path: 'onpremise/package/linux/db/start',
    summary: 'Starts a database that is installed below a separate folder.',
    parts: [...host, 'package'],
  },
} as const satisfies Readonly<Record<string, HostScript>>

export type HostScriptName = keyof typeof hostScripts

/** What a script reads from its environment. */
export const scriptEnvironment = {
  MANAGER_URL: 'Address of the manager, `https://…` or `http://…`. Required.',
  MANAGER_CLUSTER_NAME: 'The cluster. Required.',
  MANAGER_HOST_NAME: 'The server’s host as `db-servers-hosts` names it. Required.',
  MANAGER_HOST_PORT: 'The server’s port. Required.',
  MANAGER_USER: 'The user that logs in where `api-credentials-secure-config` requires a token.',
  MANAGER_PASSWORD: 'That user’s password. Never passed as an argument of a program.',
  MANAGER_TOKEN: 'A token for the download in place of a login: a session’s, or a one-time token of `bootstrap-token`.',
  MANAGER_CA_FILE: 'CA certificates (PEM) that verify the manager’s, in place of the system’s.',
  MANAGER_FINGERPRINT:
    'SHA-256 fingerprint of the manager’s certificate (hexadecimal; needs openssl) or pin of its key ' +
    '(`sha256//…`), in place of a verified name.',
  MANAGER_FORCE_CONFIG: '`true`: the generated my.cnf replaces a hand-written one, which is kept as my.cnf.old.',
  MANAGER_FETCH:
    'Start: `true` downloads the configuration, `false` starts on the files on disk; the manager is asked without it.',
  MANAGER_SECONDS: 'How long a start or stop of the server may take; 120.',
  MANAGER_DB_PACKAGES: 'Bootstrap: packages to install where no server is; MariaDB of the distribution.',
  MYSQL_ROOT_PASSWORD: 'Bootstrap: creates an account with all privileges and this password; none without it.',
  MYSQL_ROOT_USER: 'Bootstrap: the name of that account; root.',
  MANAGER_INIT_SQL: 'Bootstrap: statements that run once, before the server can be reached; no binary log holds them.',
  MANAGER_BASEDIR: 'Package start: the folder of the server; `/var/lib/manager/<cluster>/<host>_<port>`.',
  MANAGER_BOOTSTRAP_DIR: 'Container bootstrap: where the volume is mounted; `/bootstrap`.',
  MANAGER_DB_UID: 'Container bootstrap: the user and group id of the server in its image; 999.',
} as const

/** The whole text of a script. Throws when a part cannot be read: a broken installation. */
export async function composeHostScript(name: HostScriptName): Promise<string> {
  const { parts, summary } = hostScripts[name]
  const texts = await Promise.all(
    parts.map((part) => readFile(sharePath('scripts/configurator', `${part}.sh`), 'utf8')),
  )
  const head = [
    '#!/bin/sh',
    `${GENERATED_MARKER} ${packageVersion}. ${summary}`,
    'set -eu',
    `script='${name}'`,
    `marker='${GENERATED_MARKER}'`,
  ].join('\n')
  return [head, ...texts].join('\n\n')
}
