// Settings: read, set, switched, read again from their files; of a cluster and of the server itself.
import * as z from 'zod'
import type { Caller, ChangesFace, SettingTarget, SettingView } from '../../../../actors/protocol/manager/face.js'
import { globalGrants } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { isAccountName } from '../../../../lib/settings/change/account.js'
import { refuseName } from '../../../../lib/settings/change/find.js'
import { isSwitchName } from '../../../../lib/settings/change/switch.js'
import { findSetting, settingRow } from '../../../../lib/settings/table/index.js'
import { flag, stateOf, stateParams, wholeText } from '../../kit/input.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { plainValue } from '../../schemas/fields.js'
import { settingChangeSchema, settingSchema } from '../../schemas/shapes.js'
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
    'store-unreachable',
    'changed-elsewhere',
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

const remarkSchema = z.looseObject({
  place: z.string(),
  section: z.string().optional(),
  name: z.string().optional(),
  value: z.string().optional(),
  problem: z.string(),
})

const remarksSchema = z.looseObject({
  ok: z.boolean(),
  faults: z.array(remarkSchema),
  warnings: z.array(remarkSchema),
  recognised: z.array(remarkSchema),
})

const exampleWarning = {
  ...{ place: '/etc/manager/config.toml:12', section: 'demo', name: 'failover-limt', value: '3' },
  problem: 'unknown setting; did you mean failover-limit?',
}

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
    reply: { status: 200, type: 'json', schema: z.union([z.array(settingSchema), z.record(z.string(), plainValue)]) },
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
    summary:
      'Give a setting another value: in the path, percent-encoded, or in the body (better for secrets). One of the server scope is set for the manager, and takes a grant for the whole service. 400 for a value that the setting does not have (`C/settings` shows what it allows).',
    grant: changeable,
    body: valueBody,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures, 'bad-request': [400] },
    example: { request: { value: '3' }, reply: changed },
    secrets: secretValue,
    plan: ({ manager, params, body, caller }) =>
      planChange(manager, 'set-setting', (changes) => setOf(changes, { params, body, caller })),
    answer: ({ manager, params, body, caller }) => setOf(manager, { params, body, caller }),
  }),

  'settings.set-cron': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/set-cron/:setting/:value'],
    summary: 'Give a schedule another pattern: six fields, seconds first, percent-encoded; acts at once.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: {
      ...{ ...noCluster, ...changeFailures },
      'wrong-value': [400, 'Bad cron pattern'],
    },
    example: { reply: { ...changed, name: 'scheduler-rolling-restart-cron', value: '0 30 11 * * *' } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'set-schedule', (changes) => setSchedule(changes, { params, caller })),
    answer: ({ manager, params, caller }) => setSchedule(manager, { params, caller }),
  }),

  'settings.clear': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/clear/:setting'],
    summary: 'Take run-time changes of a setting back: what file, environment, flag or default give holds again.',
    grant: changeable,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures },
    example: { reply: { ...changed, value: 5, origin: 'default' } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'clear-setting', (changes) => clearOf(changes, { params, caller })),
    answer: ({ manager, params, caller }) => clearOf(manager, { params, caller }),
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
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'undo-setting', (changes) => undoOf(changes, { params, caller })),
    answer: ({ manager, params, caller }) => undoOf(manager, { params, caller }),
  }),

  'settings.switch': route({
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/settings/actions/switch/:setting',
      '/api/clusters/:cluster/settings/actions/switch/:setting/:state',
    ],
    summary: 'Toggle a boolean setting, or set it to `on` or `off`; 400 for a setting of another kind.',
    grant: changeable,
    params: stateParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...noCluster, ...changeFailures },
    example: { reply: { ...changed, name: 'autorejoin', value: false } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'switch-setting', (changes) => switchOf(changes, { params, caller })),
    answer: ({ manager, params, caller }) => switchOf(manager, { params, caller }),
  }),

  'settings.reload': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/reload'],
    summary:
      'Read the configuration files again: for callers with a grant for the whole service all of it, for others what it says of this cluster. Faults keep the running configuration; the former get all of them named. The answer is what was found in the files, as `manager check` prints it.',
    grant: 'cluster-settings',
    reply: { status: 200, type: 'json', schema: remarksSchema },
    failures: { ...noCluster, ...usual('bad-configuration', 'file-unreadable', 'no-grant') },
    example: { reply: { ok: true, faults: [], warnings: [exampleWarning], recognised: [] } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'reload-settings', (changes) =>
        changes.reloadSettings(caller.user, reloaded(caller, params.cluster)),
      ),
    answer: ({ manager, params, caller }) => manager.reloadSettings(caller.user, reloaded(caller, params.cluster)),
  }),

  'settings.set-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/set/:setting/:value', '/api/clusters/settings/actions/set/:setting'],
    summary:
      'Give a setting of the server scope another value, or one of clusters a value for all of them: what a cluster has of its own holds there. 501 for what each cluster has for itself: its servers, its users, files of the machine; 400 for a value that the setting does not have.',
    grant: globalGrants,
    body: valueBody,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'], 'bad-request': [400] },
    example: { request: { value: '24' }, reply: { ...changed, name: 'api-token-timeout', value: 24 } },
    secrets: secretValue,
    plan: ({ manager, params, body, caller }) =>
      planChange(manager, 'set-setting', (changes) => setGlobal(changes, { params, body, caller })),
    answer: ({ manager, params, body, caller }) => setGlobal(manager, { params, body, caller }),
  }),

  'settings.switch-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/switch/:setting', '/api/clusters/settings/actions/switch/:setting/:state'],
    summary:
      'Toggle a boolean setting of the server scope, or of all clusters, or set it to `on` or `off`; 400 for a setting of another kind.',
    grant: globalGrants,
    params: stateParams,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'setting is not in global scope'] },
    example: { reply: { ...changed, name: 'api-https-bind', value: true } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'switch-setting', (changes) =>
        changes.switchSetting(ofServer(caller, params.setting), stateOf(params.state)),
      ),
    answer: ({ manager, params, caller }) =>
      manager.switchSetting(ofServer(caller, params.setting), stateOf(params.state)),
  }),

  'settings.clear-global': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/clear/:setting'],
    summary: 'Take run-time changes of a setting of the server scope, or of all clusters, back.',
    grant: globalGrants,
    reply: { status: 200, type: 'json', schema: settingSchema },
    failures: { ...changeFailures, 'wrong-scope': [501, 'Setting Not Found'] },
    example: { reply: { ...changed, name: 'api-token-timeout', value: 48, origin: 'default' } },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'clear-setting', (changes) => changes.clearSetting(ofServer(caller, params.setting))),
    answer: ({ manager, params, caller }) => manager.clearSetting(ofServer(caller, params.setting)),
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
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'undo-setting', (changes) =>
        changes.undoSetting({ cluster: '', user: caller.user }, Number(params.change)),
      ),
    answer: ({ manager, params, caller }) =>
      manager.undoSetting({ cluster: '', user: caller.user }, Number(params.change)),
  }),
}

/** The field with the value, in a request about a secret. */
function secretValue({ params }: { readonly params: unknown }): readonly string[] {
  const { setting = '' } = params as { readonly setting?: string }
  const name = findSetting(setting)
  const isSecret = isAccountName(setting) || (name !== undefined && settingRow(name).secret)
  return isSecret ? ['value'] : []
}

const ofServer = ({ user }: Caller, name: string): SettingTarget => ({ cluster: '', name, user })

interface Given<Params> {
  readonly params: Params
  readonly caller: Caller
}

type InCluster = Given<{ readonly cluster: string; readonly setting: string }>

interface Valued<Params> extends Given<Params & { readonly setting: string; readonly value?: string }> {
  readonly body: { readonly value?: string | undefined }
}

const givenValue = <Params>({ params, body }: Valued<Params>): Result<string> => {
  const value = params.value ?? body.value
  return value === undefined ? fail('bad-request', 'value: give it in the path or in the body') : ok(value)
}

function setOf(changes: ChangesFace, given: Valued<{ readonly cluster: string }>) {
  const value = givenValue(given)
  return value.ok ? change(ofCluster(given), (target) => changes.setSetting({ ...target, value: value.value })) : value
}

function setGlobal(changes: ChangesFace, given: Valued<unknown>) {
  const value = givenValue(given)
  const { caller, params } = given
  return value.ok ? changes.setSetting({ ...ofServer(caller, params.setting), value: value.value }) : value
}

function setSchedule(
  changes: ChangesFace,
  given: Given<{ readonly cluster: string; readonly setting: string; readonly value: string }>,
) {
  const name = findSetting(given.params.setting)
  if (name !== undefined && settingRow(name).shape.kind !== 'cron')
    return fail('unknown-setting', `${name} is no schedule`)
  return change(ofCluster(given), (target) => changes.setSetting({ ...target, value: given.params.value }))
}

const clearOf = (changes: ChangesFace, given: InCluster) =>
  change(ofCluster(given), (target) => changes.clearSetting(target))

const switchOf = (
  changes: ChangesFace,
  given: Given<{ readonly cluster: string; readonly setting: string; readonly state?: string }>,
) => change(ofCluster(given), (target) => changes.switchSetting(target, stateOf(given.params.state)))

async function undoOf(
  changes: ChangesFace,
  { params, caller }: Given<{ readonly cluster: string; readonly change: string }>,
) {
  const id = Number(params.change)
  const record = (await changes.settingChanges(params.cluster)).find((one) => one.id === id)
  if (!record) return fail('unknown-change', `no change ${id} of ${params.cluster} is kept`)
  const wanted = { caller, cluster: params.cluster, setting: record.name }
  return change(wanted, (target) => changes.undoSetting(target, id))
}

const ofCluster = ({ caller, params: { cluster, setting } }: InCluster): Change => ({ caller, cluster, setting })

/** What a reload concerns: all of it for callers with a grant for the whole service, else the cluster. */
const reloaded = (caller: Caller, cluster: string): string | undefined =>
  globalGrants.some((grant) => caller.may(grant, '')) ? undefined : cluster

interface Change {
  readonly caller: Caller
  readonly cluster: string
  readonly setting: string
}

/** Names that no setting has: of switches, `force-slave-…`, and of accounts of proxies. They stand for settings of a cluster. */
const namelessTraits = { scope: 'cluster', grant: 'cluster-settings', machine: undefined } as const

/**
 * Applies a change when the caller holds the grant that the row names on the cluster; one that acts with the account of the
 * manager takes a grant for the whole service. So does one of the server scope, which existing clients ask under a cluster:
 * it changes the manager.
 */
function change(
  { caller, cluster, setting }: Change,
  apply: (target: SettingTarget) => Promise<Result<SettingView>>,
): Result<SettingView> | Promise<Result<SettingView>> {
  const found = findSetting(setting)
  if (found === undefined && !isSwitchName(setting) && !isAccountName(setting)) return refuseName(setting)
  const { scope, grant, machine } = found === undefined ? namelessTraits : settingRow(found)
  const isOfServer = scope === 'server'
  const target = isOfServer ? ofServer(caller, setting) : { cluster, name: setting, user: caller.user, may: caller.may }
  const isGlobal = isOfServer || machine === 'account'
  const wanted = isGlobal ? globalGrants : [grant]
  if (wanted.some((one) => caller.may(one, isGlobal ? '' : cluster))) return apply(target)
  const where = `User doesn't have required ACL for ${setting} in cluster ${cluster}`
  return fail('setting-grant', `${where}: it needs ${wanted.join(' or ')}`)
}
