// Settings: read, set, switched, read again from their files; of a cluster and of the server itself.
import { z } from 'zod'
import type { Caller, SettingTarget, SettingView } from '../../../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { refuseName } from '../../../../lib/settings/change/find.js'
import { isSwitchName } from '../../../../lib/settings/change/switch.js'
import { findSetting, settingRow } from '../../../../lib/settings/table/index.js'
import { flag, stateOf, stateParams, wholeText } from '../../kit/input.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { globalGrants, route } from '../../kit/route.js'
import { settingChangeSchema, settingSchema } from '../../kit/schemas.js'
import { renderConfig } from '../../views/kit/config.js'

const changeable = ['cluster-settings', 'prov-settings', 'cluster-grant'] as const

const valueBody = z
  .object({ value: z.union([z.string().max(65_536), z.number(), z.boolean()]).transform(String) })
  .partial()
  .default({})

const changeFailures = {
  'unknown-setting': [501, 'Setting Not Found'],
  'setting-without-effect': [501],
  'wrong-value': [400],
  ...usual(
    'no-grant',
    'setting-grant',
    'last-administrator',
    'server-exists',
    'unsupported',
    'file-unwritable',
    'actor-gone',
    'deadline-passed',
    'mailbox-full',
  ),
} as const

const undoFailures = {
  'wrong-scope': [501, 'Setting Not Found'],
  ...usual('unknown-change', 'wrong-state'),
} as const

const changeParams = z.looseObject({ change: wholeText({ min: 0, max: 999_999_999_999_999 }) })

const historyList = { fields: ['name', 'user', 'action'] } as const

const exampleChange = {
  ...{ id: 17, at: 1795246812345, user: 'admin', cluster: 'demo', name: 'failover-limit', action: 'set' },
  ...{ before: { value: 5, origin: 'default' }, after: { value: 3, origin: 'saved' } },
} as const

const changed = { name: 'failover-limit', value: 3, origin: 'saved', immutable: false } as const

export const settingRoutes = {
  'settings.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/settings'],
    summary:
      'The settings of the cluster, secrets masked; with `detail` each with its name, origin and whether it is kept.',
    grant: ['cluster-settings', 'show'],
    query: z.object({
      detail: flag().optional(),
      name: z.string().max(100).optional().describe('Only settings whose names contain this.'),
    }),
    reply: { status: 200, type: 'json', schema: z.union([z.array(settingSchema), z.looseObject({})]) },
    failures: noCluster,
    example: { reply: { failoverMode: 'automatic', failoverLimit: 5, replicationCredential: '*:*' } },
    answer: ({ manager, params, query }) => {
      const wanted = query.name ?? ''
      const settings = manager.settings(params.cluster).filter(({ name }) => name.includes(wanted))
      return ok(query.detail ? settings : renderConfig(settings, 'cluster'))
    },
  }),

  'settings.set': route({
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/settings/actions/set/:setting/:value',
      '/api/clusters/:cluster/settings/actions/set/:setting',
    ],
    summary: 'Give a setting another value: in the path, percent-encoded, or in the body (better for secrets).',
    grant: changeable,
    body: valueBody,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'], 'bad-request': [400] },
    example: { request: { value: '3' }, reply: changed },
    answer: ({ manager, params, body, caller }) => {
      const value = params.value ?? body.value
      if (value === undefined) return fail('bad-request', 'value: give it in the path or in the body')
      return change({ caller, cluster: params.cluster, setting: params.setting }, (target) =>
        manager.setSetting({ ...target, value }),
      )
    },
  }),

  'settings.set-cron': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/set-cron/:setting/:value'],
    summary: 'Give a schedule another pattern: six fields, seconds first, percent-encoded; acts at once.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: {
      ...{ ...noCluster, ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
      'wrong-value': [400, 'Bad cron pattern'],
    },
    example: { reply: { ...changed, name: 'scheduler-rolling-restart-cron', value: '0 30 11 * * *' } },
    answer: ({ manager, params, caller }) => {
      const name = findSetting(params.setting)
      if (name !== undefined && settingRow(name).shape.kind !== 'cron')
        return fail('unknown-setting', `${name} is no schedule`)
      return change({ caller, cluster: params.cluster, setting: params.setting }, (target) =>
        manager.setSetting({ ...target, value: params.value }),
      )
    },
  }),

  'settings.clear': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/clear/:setting'],
    summary: 'Take run-time changes of a setting back: what file, environment, flag or default give holds again.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
    example: { reply: { ...changed, value: 5, origin: 'default' } },
    answer: ({ manager, params, caller }) =>
      change({ caller, cluster: params.cluster, setting: params.setting }, (target) => manager.clearSetting(target)),
  }),

  'settings.history': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/settings/history'],
    summary: 'Who changed which setting of the cluster, newest first; secrets masked.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: z.array(settingChangeSchema), list: historyList },
    failures: noCluster,
    example: { reply: [exampleChange] },
    answer: async ({ manager, params }) => ok(await manager.settingChanges(params.cluster)),
  }),

  'settings.undo': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/undo/:change'],
    summary: 'Take one change of the history back: the setting is what it was before it.',
    grant: changeable,
    params: changeParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, ...undoFailures },
    example: { reply: { ...changed, value: 5, origin: 'default' } },
    answer: async ({ manager, params, caller }) => {
      const id = Number(params.change)
      const record = (await manager.settingChanges(params.cluster)).find((one) => one.id === id)
      if (!record) return fail('unknown-change', `no change ${id} of ${params.cluster} is kept`)
      return change({ caller, cluster: params.cluster, setting: record.name }, (target) =>
        manager.undoSetting(target, id),
      )
    },
  }),

  'settings.switch': route({
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/settings/actions/switch/:setting',
      '/api/clusters/:cluster/settings/actions/switch/:setting/:state',
    ],
    summary: 'Toggle a boolean setting, or set it to `on` or `off`.',
    grant: changeable,
    params: stateParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
    example: { reply: { ...changed, name: 'autorejoin', value: false } },
    answer: ({ manager, params, caller }) =>
      change({ caller, cluster: params.cluster, setting: params.setting }, (target) =>
        manager.switchSetting(target, stateOf(params.state)),
      ),
  }),

  'settings.reload': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/reload'],
    summary: 'Read the configuration files again; faults keep the running configuration and are all named.',
    grant: 'cluster-settings',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...usual('bad-configuration', 'file-unreadable') },
    answer: ({ manager, caller }) => manager.reloadSettings(caller.user),
  }),

  'settings.set-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/set/:setting/:value', '/api/clusters/settings/actions/set/:setting'],
    summary: 'Give a setting of the server scope another value.',
    grant: globalGrants,
    body: valueBody,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'], 'bad-request': [400] },
    example: { request: { value: '24' }, reply: { ...changed, name: 'api-token-timeout', value: 24 } },
    answer: ({ manager, params, body, caller }) => {
      const value = params.value ?? body.value
      if (value === undefined) return fail('bad-request', 'value: give it in the path or in the body')
      return manager.setSetting({ cluster: '', name: params.setting, value, user: caller.user })
    },
  }),

  'settings.switch-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/switch/:setting', '/api/clusters/settings/actions/switch/:setting/:state'],
    summary: 'Toggle a boolean setting of the server scope, or set it to `on` or `off`.',
    grant: globalGrants,
    params: stateParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'setting is not in global scope'] },
    example: { reply: { ...changed, name: 'api-https-bind', value: true } },
    answer: ({ manager, params, caller }) =>
      manager.switchSetting({ cluster: '', name: params.setting, user: caller.user }, stateOf(params.state)),
  }),

  'settings.clear-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/clear/:setting'],
    summary: 'Take run-time changes of a setting of the server scope back.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
    example: { reply: { ...changed, name: 'api-token-timeout', value: 48, origin: 'default' } },
    answer: ({ manager, params, caller }) =>
      manager.clearSetting({ cluster: '', name: params.setting, user: caller.user }),
  }),

  'settings.history-global': route({
    methods: ['GET'],
    paths: ['/api/clusters/settings/history'],
    summary: 'Who changed which setting of the server scope, newest first; secrets masked.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: z.array(settingChangeSchema), list: historyList },
    failures: {},
    example: { reply: [{ ...exampleChange, cluster: '', name: 'api-token-timeout' }] },
    answer: async ({ manager }) => ok(await manager.settingChanges('')),
  }),

  'settings.undo-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/undo/:change'],
    summary: 'Take one change of the server scope back.',
    grant: globalGrants,
    params: changeParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, ...undoFailures },
    example: { reply: { ...changed, name: 'api-token-timeout', value: 48, origin: 'default' } },
    answer: ({ manager, params, caller }) =>
      manager.undoSetting({ cluster: '', user: caller.user }, Number(params.change)),
  }),
}

interface Change {
  readonly caller: Caller
  readonly cluster: string
  readonly setting: string
}

/** Names that only switches have, `force-slave-…`: each represents a value of a cluster setting. */
const switchTraits = { scope: 'cluster', grant: 'cluster-settings', machine: undefined } as const

/**
 * Applies a change when the caller holds the grant that the row names on the cluster; one that acts with the account of the
 * manager takes a grant for the whole service.
 */
function change(
  { caller, cluster, setting }: Change,
  apply: (target: SettingTarget) => Promise<Result<SettingView>>,
): Result<SettingView> | Promise<Result<SettingView>> {
  const found = findSetting(setting)
  if (found === undefined && !isSwitchName(setting)) return refuseName(setting)
  const { scope, grant, machine } = found === undefined ? switchTraits : settingRow(found)
  if (scope === 'server')
    return fail(
      'wrong-scope',
      `${setting} belongs to the server: set it with /api/clusters/settings/actions/set (manager-cli setting set-global)`,
    )
  const target = { cluster, name: setting, user: caller.user, may: caller.may }
  const isAccount = machine === 'account'
  const wanted = isAccount ? globalGrants : [grant]
  if (wanted.some((one) => caller.may(one, isAccount ? '' : cluster))) return apply(target)
  const where = `User doesn't have required ACL for ${setting} in cluster ${cluster}`
  return fail('setting-grant', `${where}: it needs ${wanted.join(' or ')}`)
}
