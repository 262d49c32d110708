// What work besides switchovers and failovers would do, before anyone begins it: its steps in order, and what it interrupts.
import { fail, ok, type Result } from '../../base/result.js'
import type { Work as AnyWork, Preview, PreviewStep } from '../../model/operation/preview.js'
import { type RollKind, rollTitles } from '../../model/operation/roll.js'
import { type ServiceAction, type ServiceSpec, stopsService } from '../../model/operation/services.js'
import type { ServerAct, ToggleName } from '../../model/server/server-act.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { planBootstrap } from '../repair/bootstrap.js'
import { planCleanup } from '../repair/cleanup.js'
import { planRelocate } from '../repair/relocate.js'
import type { Situation } from '../situation/situation.js'
import type { LoginCheck } from '../switchover/login.js'
import { previewPlan } from '../switchover/preview.js'
import { judgeService } from './permit.js'
import { followersOf, judgeAct, judgeOptimize } from './permit-act.js'
import { type OwnScene, ownLists } from './preview-own.js'
import { planRoll } from './rolling.js'

/** Backups are previewed in a room of their own. */
export type Work = Exclude<AnyWork, { readonly type: 'backup' | 'recovery' }>

/** What a preview needs besides the situation. */
export interface WorkScene extends OwnScene {
  /** Databases, then proxies. */
  readonly services: readonly ServiceSpec[]
  /** Absent without a replication account. */
  readonly login?: LoginCheck
  /** Set while rolling work is running: why other work of this kind is refused. */
  readonly rolling: Result<never> | undefined
}

type WorkOf<T extends Work['type']> = Extract<Work, { readonly type: T }>
type Listed = Result<Pick<Preview, 'steps' | 'risks'> & Partial<Preview>>
type List<T extends Work['type']> = (scene: WorkScene, work: WorkOf<T>) => Listed

/** One row per kind of work. */
const lists: { readonly [T in Work['type']]: List<T> } = {
  ...ownLists,
  roll: listRoll,
  services: listServices,
  act: listAct,
  replication: (scene, { server, run }) =>
    onServer(scene, server, ({ name }) =>
      steps([`${run ? 'Start' : 'Stop'} replication on ${name}, on every channel`]),
    ),
  'read-only': (scene, { server, on }) =>
    onServer(scene, server, ({ name, state }) => {
      const closing = on ?? !state?.readOnly
      return closing === state?.readOnly ? steps([]) : steps([`Make ${name} ${closing ? 'read-only' : 'writable'}`])
    }),
  optimize: ({ situation: { snapshot } }, { server, force }) => {
    const judged = judgeOptimize(snapshot, { server, force })
    const name = findServer(snapshot, server)?.name ?? server
    return judged.ok ? steps([`Rebuild the tables of ${name}, one after the other, unlogged`]) : judged
  },
  cleanup: ({ situation, rolling }, { force }) => listPlan(rolling ?? planCleanup(situation, { force }), situation),
  relocate: ({ situation, rolling, login }, { server, source }) =>
    listPlan(rolling ?? planRelocate(situation, { server, source }), situation, login),
  bootstrap: ({ situation, rolling }, { topology }) =>
    listPlan(rolling ?? planBootstrap(situation, { topology }), situation),
  traffic: ({ situation: { snapshot } }, { run }) => {
    const primary = findServer(snapshot, snapshot.primary)?.name
    if (run && primary === undefined) return fail('no-primary', `${snapshot.cluster} has no primary to write on`)
    return steps([
      run ? `Write four test rows per second on ${primary}, in the schema manager_traffic` : 'End the test traffic',
    ])
  },
}

/** Never a failure: a refusal is part of the preview. */
export function previewWork(scene: WorkScene, work: Work): Preview {
  const listed = (lists[work.type] as List<typeof work.type>)(scene, work as never)
  const kind = kindOf(work)
  if (listed.ok) return { kind, possible: true, ...listed.value }
  return refusedPreview(kind, listed.failure.message)
}

export const refusedPreview = (kind: string, refusal: string): Preview => ({
  ...{ kind, possible: false, refusal, steps: [], risks: [] },
})

const nameOfWork = {
  roll: ({ kind }: WorkOf<'roll'>) => rollTitles[kind].replace(' ', '-'),
  services: ({ action }: WorkOf<'services'>) => action,
  act: ({ act }: WorkOf<'act'>) => act.type,
  replication: ({ run }: WorkOf<'replication'>) => (run ? 'start-replication' : 'stop-replication'),
  'read-only': () => 'toggle-read-only',
  optimize: () => 'optimize',
  cleanup: () => 'cleanup',
  relocate: () => 'relocate',
  bootstrap: () => 'bootstrap',
  traffic: ({ run }: WorkOf<'traffic'>) => (run ? 'start-traffic' : 'stop-traffic'),
  maintenance: () => 'maintenance',
  reset: ({ what }: WorkOf<'reset'>) => `reset-${what}`,
  'cancel-roll': ({ kind }: WorkOf<'cancel-roll'>) => `cancel-${rollTitles[kind].replace(' ', '-')}`,
  'cancel-appointment': () => 'cancel-switchover',
  'cancel-return': () => 'cancel-return',
} as const satisfies { readonly [T in Work['type']]: (work: WorkOf<T>) => string }

const kindOf = (work: Work): string => (nameOfWork[work.type] as (work: Work) => string)(work)

const step = (text: string, blocksWrites = false): PreviewStep => ({ text, blocksWrites })

const steps = (texts: readonly string[], risks: readonly string[] = []): Listed =>
  ok({ steps: texts.map((text) => step(text)), risks })

function onServer({ situation }: WorkScene, id: string, list: (server: ServerSnapshot) => Listed): Listed {
  const server = findServer(situation.snapshot, id)
  if (!server) return fail('unknown-server', `${situation.snapshot.cluster} has no server ${id}`)
  return server.observation === 'answered' ? list(server) : fail('sql-silent', `${server.name} does not answer`)
}

function listPlan(plan: ReturnType<typeof planCleanup>, situation: Situation, login?: LoginCheck): Listed {
  if (!plan.ok) return plan
  const { kind: _, ...preview } = previewPlan(plan.value, situation, login)
  return ok(preview)
}

const turns: Readonly<Record<RollKind, (name: string) => string>> = {
  restart: (name) => `Restart ${name}, then wait until it replicates and has caught up`,
  reprov: (name) =>
    `Move the data of ${name} aside, rebuild it and fill it from another server, then wait until it has caught up`,
  optimize: (name) => `Rebuild the tables of ${name}`,
}

function listRoll({ situation, rolling }: WorkScene, { kind, only, force }: WorkOf<'roll'>): Listed {
  const request = { id: 'plan', user: 'plan', kind, force, ...(only === undefined ? {} : { only }) }
  const planned = rolling ?? planRoll(situation, request)
  if (!planned.ok) return planned
  const { servers, primary, home } = planned.value
  const { snapshot } = situation
  const nameOf = (id: string) => findServer(snapshot, id)?.name ?? id
  const waiting = servers.filter(({ state }) => state === 'waiting').map(({ server }) => server)
  const replicas = waiting.filter((id) => id !== primary).map((id) => step(turns[kind](nameOf(id))))
  const away = [
    step(`Switch over from ${nameOf(primary)} to a replica`, true),
    step(turns[kind](nameOf(primary))),
    step(`Switch over to ${nameOf(home)}`, true),
  ]
  const skipped = servers.flatMap(({ server, state, message }) =>
    state === 'skipped' ? [`${nameOf(server)} is skipped: ${message}`] : [],
  )
  return ok({ steps: [...replicas, ...(waiting.includes(primary) ? away : [])], risks: skipped })
}

const actions: Readonly<Record<ServiceAction, (name: string) => string>> = {
  provision: (name) => `Create ${name} from its configuration archive and start it`,
  unprovision: (name) => `Stop ${name} and remove it with its data`,
  start: (name) => `Start ${name} and wait until it answers`,
  stop: (name) => `Stop ${name}`,
  restart: (name) => `Stop ${name}, start it and wait until it answers`,
  apply: (name) => `Deliver the newest configuration to ${name}`,
}

function listServices(scene: WorkScene, { action, service: only, force }: WorkOf<'services'>): Listed {
  const { snapshot } = scene.situation
  const all = action === 'unprovision' ? scene.services.toReversed() : scene.services
  const services = all.filter(({ id }) => only === undefined || id === only)
  if (services.length === 0) return fail('wrong-state', `${snapshot.cluster} has no services: add a server first`)
  if (stopsService[action] && scene.rolling) return scene.rolling
  for (const { id: server, kind } of services) {
    const judged = kind === 'proxy' ? ok(undefined) : judgeService(snapshot, { action, server, force })
    if (!judged.ok) return judged
  }
  return ok({
    steps: services.map(({ id, name }) => step(actions[action](name), stopsService[action] && id === snapshot.primary)),
    risks: [],
  })
}

const toggleTexts: Readonly<Record<ToggleName, string>> = {
  'engine-monitor': 'the InnoDB monitor output',
  'lock-list': 'the list of metadata locks',
  'response-times': 'the statistics of response times',
  'error-statements': 'the log of failed statements',
  'statement-history': 'the statement samples of the performance schema',
  'slow-log': 'the slow log',
  'slow-capture': 'the capture of every statement in the slow log',
  'slow-table': 'the slow log in its table instead of its file',
}

function listAct(scene: WorkScene, { server: id, act }: WorkOf<'act'>): Listed {
  const { snapshot } = scene.situation
  return onServer(scene, id, (server) => {
    const judged = judgeAct(snapshot, server, act)
    if (!judged.ok) return judged
    const followers = followersOf(snapshot, server).map(({ name }) => name)
    return steps(textsOf(act, server.name, followers))
  })
}

function textsOf(act: ServerAct, name: string, followers: readonly string[]): readonly string[] {
  switch (act.type) {
    case 'toggle':
      return [`${act.on === undefined ? 'Toggle' : act.on ? 'Enable' : 'Disable'} ${toggleTexts[act.what]} on ${name}`]
    case 'set-slow-limit':
      return [`Set long_query_time of ${name} to ${act.seconds} s`]
    case 'reset-digests':
      return [`Delete the digests and statement samples of the performance schema on ${name}`]
    case 'flush-logs':
      return [`Flush the logs of ${name}; its binary log continues in a new file`]
    case 'await-purge':
      return [`Wait until ${name} has at most ${act.length} old row versions left to purge; nothing is changed`]
    case 'reset-binlogs':
      return [
        ...followers.map((follower) => `Wait until ${follower} has applied everything of ${name}`),
        `Delete the binary logs of ${name} and begin a new one`,
        ...followers.map((follower) => `Repoint ${follower} to the new binary log`),
      ]
    case 'forget-source':
      return [`Stop replication on ${name} and remove its source`]
    case 'skip-event':
      return [`Skip the transaction that stopped the SQL thread of ${name}, then start replication`]
  }
}
