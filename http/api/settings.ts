// Settings: read, set, switched, read again from their files; of a cluster and of the server itself.
import { z } from 'zod'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { findSetting, settingRow } from '../../lib/settings/table/index.js'
import type { Caller, SettingView } from './face.js'
import { noCluster, usual } from './refusals.js'
import { route } from './route.js'
import { settingSchema } from './schemas.js'
import { renderConfig } from './views/config.js'

const changeable = ['cluster-settings', 'prov-settings', 'cluster-grant'] as const
const globalGrants = ['global-settings', 'global-admin-config'] as const

const valueBody = z
  .object({ value: z.union([z.string().max(65_536), z.number(), z.boolean()]).transform(String) })
  .partial()
  .default({})

const changeFailures = {
  'unknown-setting': [501, 'Setting Not Found'],
  'wrong-value': [400],
  ...usual('no-grant', 'unsupported', 'file-unwritable', 'actor-gone', 'deadline-passed', 'mailbox-full'),
} as const

const changed = { name: 'failover-limit', value: 3, origin: 'saved', immutable: false } as const

export const settingRoutes = {
  'settings.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/settings'],
    summary:
      'The settings of the cluster, secrets masked; with `detail` each with its name, origin and whether it is kept.',
    grant: ['cluster-settings', 'show'],
    query: z.object({ detail: z.stringbool().optional() }),
    reply: { status: 200, type: 'json', schema: z.union([z.array(settingSchema), z.looseObject({})]) },
    failures: noCluster,
    example: { reply: { failoverMode: 'automatic', failoverLimit: 5, replicationCredential: '*:*' } },
    answer: ({ manager, params, query }) => {
      const settings = manager.settings(params.cluster)
      return ok(query.detail ? settings : renderConfig(settings))
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
      return change({ caller, cluster: params.cluster, setting: params.setting }, (scope) =>
        manager.setSetting({ cluster: scope, name: params.setting, value, user: caller.user }),
      )
    },
  }),

  'settings.switch': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/switch/:setting'],
    summary: 'Turn a boolean setting the other way.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
    example: { reply: { ...changed, name: 'autorejoin', value: false } },
    answer: ({ manager, params, caller }) =>
      change({ caller, cluster: params.cluster, setting: params.setting }, (scope) =>
        manager.switchSetting(scope, params.setting, caller.user),
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
    paths: ['/api/clusters/settings/actions/switch/:setting'],
    summary: 'Turn a boolean setting of the server scope the other way.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'setting is not in global scope'] },
    example: { reply: { ...changed, name: 'api-https-bind', value: true } },
    answer: ({ manager, params, caller }) => manager.switchSetting('', params.setting, caller.user),
  }),
}

interface Change {
  readonly caller: Caller
  readonly cluster: string
  readonly setting: string
}

/** Applies a change where the setting lives, when the caller holds the grant that its row names. */
function change(
  { caller, cluster, setting }: Change,
  apply: (scope: string) => Promise<Result<SettingView>>,
): Result<SettingView> | Promise<Result<SettingView>> {
  const name = findSetting(setting)
  if (name === undefined) return fail('unknown-setting', `no setting is named ${setting}`)
  const { scope, grant } = settingRow(name)
  if (scope === 'cluster')
    return caller.may(grant, cluster) ? apply(cluster) : fail('no-grant', `${name} needs ${grant}`)
  return globalGrants.some((wanted) => caller.may(wanted, ''))
    ? apply('')
    : fail('no-grant', `${name} is of the server scope and needs ${globalGrants.join(' or ')}`)
}
