// The manager as a whole: is it up, what does it watch, what do its figures say.

import { randomUUID } from 'node:crypto'
import os from 'node:os'
import * as z from 'zod'
import type { Caller, ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { grants, roleNames } from '../../../../lib/access/index.js'
import { packageVersion } from '../../../../lib/base/package-root.js'
import { fail, ok } from '../../../../lib/base/result.js'
import { trialNames } from '../../../../lib/trial/table.js'
import { exampleLog } from '../../kit/examples.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { all, jsonValue, plainValue } from '../../schemas/fields.js'
import { aliveSchema, logSchema } from '../../schemas/shapes.js'
import { renderConfig } from '../../views/kit/config.js'
import { renderLogBuffer } from '../../views/kit/logs.js'

/** Lets a peer recognise its own heartbeat. */
const instance = randomUUID()

const heartbeatSchema = z
  .object({
    uuid: z.string(),
    secret: z.string(),
    cluster: z.string(),
    master: z.string(),
    id: z.number().int(),
    status: z.enum(['A', 'S']),
    hosts: z.number().int(),
    failed: z.number().int(),
  })
  .meta({ id: 'Heartbeat' })

const monitorSchema = z
  .object({
    version: z.string(),
    fullVersion: z.string(),
    ...{ hostname: z.string(), os: z.string(), arch: z.string(), uuid: z.string() },
    osUser: z.object(all(z.string(), ['uid', 'gid', 'username', 'name', 'homeDir'])),
    status: z.enum(['A', 'S']),
    config: z.record(z.string(), plainValue),
    clusters: z.array(z.string()),
    logs: logSchema,
    serviceAcl: z.array(z.object({ grant: z.string(), enable: z.boolean() })),
    servicePlans: z.array(z.record(z.string(), z.string())),
  })
  .catchall(jsonValue)
  .meta({ id: 'Monitor' })

/** `?full` is enough. */
const fullFlag = z.enum(['', 'true', 'false']).transform((text) => text !== 'false')

/** Beginnings of names, comma-separated. */
const beginnings = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,99}(,[a-z][a-z0-9_]{0,99}){0,49}$/, 'expected beginnings of names, comma-separated')

export const monitorRoutes = {
  'monitor.repocomp': route({
    methods: ['GET'],
    paths: ['/api/repocomp/current', '/repocomp/current'],
    summary: 'The component that this installation is: its name and version.',
    grant: 'none',
    reply: { status: 200, type: 'text' },
    failures: { 'file-unreadable': [404, '404 Something went wrong - Not Found'] },
    example: { reply: 'manager 0.1.0\n' },
    answer: ({ manager }) => manager.repositoryComponent(),
  }),
  'monitor.alive': route({
    methods: ['GET'],
    paths: ['/api/status', '/api/health'],
    summary: 'Whether every configured cluster has completed its first poll.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: aliveSchema },
    failures: {},
    example: { reply: { alive: 'running' } },
    answer: ({ manager }) => ok({ alive: manager.alive() }),
  }),

  'monitor.heartbeat': route({
    methods: ['GET', 'POST'],
    paths: ['/api/heartbeat'],
    summary: 'What this monitor sees of a cluster (the first, or the one of the query), for a peer monitor.',
    grant: 'none',
    query: z.object({ cluster: z.string().optional() }),
    reply: { status: 200, type: 'json', schema: heartbeatSchema },
    failures: usual('unknown-cluster', 'actor-gone', 'deadline-passed', 'quarantined'),
    example: {
      reply: { uuid: 'a6…', secret: '', cluster: 'demo', master: 'db1:3306', id: 0, status: 'A', hosts: 3, failed: 0 },
    },
    answer: ({ manager, query }) => heartbeat(manager, query.cluster ?? manager.clusters()[0]),
  }),

  'monitor.object': route({
    cli: 'monitor show',
    methods: ['GET'],
    paths: ['/api/monitor'],
    summary: 'The manager: version, settings of the server scope, the clusters the caller may see, all grants.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: monitorSchema },
    failures: {},
    example: {
      reply: {
        version: '1.0.0',
        fullVersion: '1.0.0',
        ...{ hostname: 'monitor1', os: 'linux', arch: 'x64', uuid: 'a6…' },
        osUser: { uid: '999', gid: '999', username: 'manager', name: 'manager', homeDir: '/var/lib/manager' },
        status: 'A',
        config: { apiPort: '10005' },
        clusters: ['demo'],
        logs: exampleLog,
        serviceAcl: [{ grant: 'cluster-failover', enable: false }],
        servicePlans: [{ id: '1', plan: 'x1.small', dbmemory: '16384', dbcores: '2' }],
      },
    },
    answer: ({ manager, caller }) => ok(monitorObject(manager, caller)),
  }),

  'monitor.metrics': route({
    methods: ['GET'],
    paths: ['/api/prometheus'],
    summary:
      'Samples of all servers of all clusters and of the manager, in Prometheus text format 0.0.4, streamed. Of status and variables those that `prometheus-metrics` selects; `full` gives all of them, `only` those families that begin with one of its words.',
    grant: 'none',
    query: z.object({ full: fullFlag.optional(), only: beginnings.optional() }),
    reply: { status: 200, type: 'metrics' },
    failures: usual('bad-request'),
    example: { reply: 'manager_server_up{instance="db1",cluster="demo"} 1' },
    answer: ({ manager, query: { full, only } }) =>
      ok((form) =>
        manager.metrics(form, {
          ...(full === undefined ? {} : { full }),
          ...(only === undefined ? {} : { only: only.split(',') }),
        }),
      ),
  }),
}

async function heartbeat(manager: ManagerFace, cluster: string | undefined) {
  const empty = {
    uuid: instance,
    secret: '',
    cluster: '',
    master: '',
    id: Number(manager.settings('').find(({ name }) => name === 'arbitration-external-unique-id')?.value ?? 0),
    status: 'A' as const,
    hosts: 0,
    failed: 0,
  }
  if (cluster === undefined) return ok(empty)
  const members = manager.members(cluster)
  if (!members && !manager.clusters().includes(cluster))
    return fail('unknown-cluster', `no cluster is named ${cluster}`)
  const servers = await manager.view(cluster, 'servers')
  if (!servers.ok) return servers
  const list = seenServers.parse(JSON.parse(servers.value.bytes.toString()))
  return ok({
    ...empty,
    cluster,
    master: list.find(({ isMaster }) => isMaster)?.url ?? '',
    status: members?.active === false ? ('S' as const) : ('A' as const),
    hosts: list.length,
    failed: list.filter(({ state }) => state === 'Failed').length,
  })
}

const seenServers = z.array(z.object({ url: z.string(), state: z.string(), isMaster: z.boolean() }))

/** What the service does not do, or does not at this moment, in the form clients read. */
export const atRestInMonitor = {
  ...{ partner: {}, termsDT: {}, canConnectVault: false, isGitPull: false, isGitPush: false },
  ...{ serviceRepos: [], agents: [], partners: [] },
  ...{ isSavingConfig: false, hasSavingConfigQueue: false, Confs: {} },
  ...{ serviceTarballs: [], serviceVM: {}, serviceFS: {}, servicePool: {}, serviceDisk: {} },
  backupLogicalList: { mysqldump: true, mydumper: true },
  backupPhysicalList: { xtrabackup: true, mariabackup: true },
  backupBinlogList: { ssh: true, mysqlbinlog: true, script: true },
  binlogParseList: { mysqlbinlog: true },
  graphiteTemplateList: { none: true, minimal: true, grafana: true, all: true },
}

/** Clients decode every field of a plan as text. */
const asTexts = (plan: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(plan).map(([name, value]) => [name, String(value)]))

const osUser = (() => {
  try {
    const { uid, gid, username, homedir } = os.userInfo()
    return { uid: String(uid), gid: String(gid), username, name: username, homeDir: homedir }
  } catch {
    return { uid: '', gid: '', username: '', name: '', homeDir: '' } // a user id without a name, as in containers
  }
})()

/** A user without any grant reads that the manager exists, and nothing of the machine and its settings. */
function monitorObject(manager: ManagerFace, caller: Caller) {
  const shown = wholeObject(manager, caller)
  const isSomeone = shown.clusters.length > 0 || grants.some((grant) => caller.may(grant, ''))
  return isSomeone ? shown : { ...shown, ...withheld }
}

const withheld = {
  osUser: { uid: '', gid: '', username: '', name: '', homeDir: '' },
  ...{ os: '', arch: '', hostname: '', config: {}, serviceOrchestrators: [], servicePlans: [] },
}

const wholeObject = (manager: ManagerFace, caller: Caller) => ({
  ...atRestInMonitor,
  tests: trialNames,
  osUser,
  version: packageVersion,
  fullVersion: packageVersion,
  os: os.platform(),
  arch: os.arch(),
  hostname: os.hostname(),
  uuid: instance,
  ...standing(manager, caller),
  config: renderConfig(manager.settings(''), 'server'),
  clusters: manager.clusters().filter((name) => caller.sees(name)),
  logs: renderLogBuffer(
    manager.logLines().filter(({ group }) => (group === '' ? caller.may('global-admin-show', '') : caller.sees(group))),
  ),
  findings: caller.may('global-admin-show', '') ? manager.findings() : [],
  quarantined: Object.fromEntries([...manager.quarantined()].filter(([name]) => caller.sees(name))),
  serviceAcl: grants.map((grant) => ({ grant, enable: false })),
  serviceRoles: roleNames.map((role) => ({ role, enable: false })),
  serviceOrchestrators: orchestrators(manager),
  servicePlans: manager.configurator.plans.list().map(asTexts),
})

/** Standby where other managers act on every cluster that the caller may see. */
function standing(manager: ManagerFace, caller: Caller) {
  const seen = manager.clusters().filter((name) => caller.sees(name))
  const members = seen.flatMap((name) => manager.members(name) ?? [])
  return {
    status: members.length > 0 && members.every(({ active }) => !active) ? ('S' as const) : ('A' as const),
    spitBrain: members.some(({ splitBrain }) => splitBrain === true),
  }
}

/** Those that the settings offer. */
function orchestrators(manager: ManagerFace) {
  const offered = manager.settings('').find(({ name }) => name === 'prov-orchestrator-enable')?.value
  const names = typeof offered === 'string' ? offered.split(',').filter(Boolean) : []
  return names.map((name, id) => ({ id, name, available: true, label: name }))
}
