// What is done to settings, tags and differences, as actions of the plan sheet.
import type { Change, Setting } from '../../model/configuration/settings.js'
import type { Action } from '../../plan/action.js'

/** What may change settings of the manager itself. */
export const GLOBAL = ['global-settings', 'global-admin-config'] as const

/** Without a cluster: of the server scope. */
type Of = Pick<Setting, 'name' | 'grant' | 'kind'>

export function setSetting({ name, grant, kind }: Of, value: string, cluster?: string): Action {
  const secrets = kind === 'secret' ? ['value'] : []
  const given = { title: `Set ${name}`, body: { value }, secrets, kind: 'harmless' } as const
  if (cluster === undefined)
    return {
      ...given,
      ...{ row: 'POST /api/clusters/settings/actions/set/:setting', params: { setting: name }, grant: GLOBAL },
    }
  return {
    ...given,
    ...{ row: 'POST /api/clusters/:cluster/settings/actions/set/:setting', params: { cluster, setting: name }, grant },
  }
}

/** Gives a setting back to where it comes from. */
export function clearSetting({ name, grant }: Of, cluster?: string): Action {
  const given = { title: `Take the change back: ${name}`, kind: 'harmless' } as const
  if (cluster === undefined)
    return {
      ...given,
      ...{ row: 'POST /api/clusters/settings/actions/clear/:setting', params: { setting: name }, grant: GLOBAL },
    }
  return {
    ...given,
    ...{
      row: 'POST /api/clusters/:cluster/settings/actions/clear/:setting',
      params: { cluster, setting: name },
      grant,
    },
  }
}

export function undoChange({ id, name }: Change, cluster?: string): Action {
  const given = { title: `Undo the change of ${name}`, kind: 'harmless' } as const
  if (cluster === undefined)
    return {
      ...given,
      ...{ row: 'POST /api/clusters/settings/actions/undo/:change', params: { change: id }, grant: GLOBAL },
    }
  return {
    ...given,
    ...{ row: 'POST /api/clusters/:cluster/settings/actions/undo/:change', params: { cluster, change: id } },
    grant: ['cluster-settings', 'prov-settings', 'cluster-grant'],
  }
}

const tagged = (cluster: string, tag: string) =>
  ({ params: { cluster, tag }, grant: 'db-config-flag', kind: 'harmless' }) as const

/** Tags that contradict it are dropped. */
export const addTag = (cluster: string, tag: string): Action => ({
  ...{ title: `Add the tag ${tag}`, row: 'POST /api/clusters/:cluster/settings/actions/add-db-tag/:tag' },
  ...{ query: { replace: true }, ...tagged(cluster, tag) },
})

export const dropTag = (cluster: string, tag: string): Action => ({
  ...{ title: `Drop the tag ${tag}`, row: 'POST /api/clusters/:cluster/settings/actions/drop-db-tag/:tag' },
  ...tagged(cluster, tag),
})

export const decisions = {
  accept: ['Accept', 'Keep the running value for as long as the tags say the same as now.'],
  preserve: ['Preserve', 'Keep the running value whatever the tags say.'],
  clear: ['Clear', 'The configuration wins at the next start.'],
} as const

export type Decision = keyof typeof decisions

/** About one variable of a server, or about all that differ. */
export const decide = (
  decision: Decision,
  params: { readonly cluster: string; readonly server: string; readonly variable: string },
): Action => ({
  title: `${decisions[decision][0]} ${params.variable === 'all' ? 'all differences' : params.variable}`,
  row: `POST /api/clusters/:cluster/servers/:server/actions/variables-${decision}/:variable`,
  ...{ params, grant: 'db-config-flag', kind: 'harmless' },
})
