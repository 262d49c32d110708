// Live names for the completion of a shell: read from the manager with the stored token, cached briefly; errors are ignored.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Setting } from '../../../http/client/api/generated.js'
import type { Session } from '../../../http/client/session.js'
import { modeOf } from '../../../lib/base/files/modes.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { tasksOf } from '../answer/jobs.js'
import { call, chooseCluster, readClusters } from './connect.js'
import type { CommonFlags } from './flags.js'

/** Kinds of objects that an argument or a flag can name, by its placeholder. */
export const nameKinds = {
  cluster: { ofCluster: false, read: (session: Session) => readClusters(session) },
  server: { ofCluster: true, read: (session: Session, cluster: string) => readAddresses(session, cluster, 'servers') },
  proxy: { ofCluster: true, read: (session: Session, cluster: string) => readAddresses(session, cluster, 'proxies') },
  setting: {
    ofCluster: true,
    read: async (session: Session, cluster: string) => textsOf(await readSettings(session, cluster), 'name'),
  },
  tag: {
    ofCluster: true,
    read: async (session: Session, cluster: string) =>
      textsOf(await call(session, 'GET /api/clusters/:cluster/tags', { params: { cluster } }), 'name'),
  },
  token: {
    ofCluster: false,
    read: async (session: Session) => textsOf(await call(session, 'GET /api/tokens'), 'id'),
  },
  job: {
    ofCluster: true,
    read: async (session: Session, cluster: string) =>
      tasksOf(await call(session, 'GET /api/clusters/:cluster/jobs', { params: { cluster } })).map(({ id }) =>
        String(id),
      ),
  },
  change: {
    ofCluster: true,
    read: async (session: Session, cluster: string) =>
      textsOf(await call(session, 'GET /api/clusters/:cluster/settings/history', { params: { cluster } }), 'id'),
  },
  /** Codes of findings and names of alerts; nothing is asked of the manager. */
  code: { ofCluster: false, read: () => readCodes() },
  silence: {
    ofCluster: true,
    read: async (session: Session, cluster: string) =>
      textsOf(await call(session, 'GET /api/clusters/:cluster/silences', { params: { cluster } }), 'id'),
  },
  /** Of the setting before it. */
  value: { ofCluster: false, read: (_: Session, __: string, setting = '') => readValues(setting) },
} as const

export type NameKind = keyof typeof nameKinds

/** The values that a setting may have, where they can be listed; nothing is asked of the manager. */
async function readValues(name: string): Promise<readonly string[]> {
  const { findSetting, settingRow } = await import('../../../lib/settings/table/index.js')
  const setting = findSetting(name)
  if (setting === undefined) return []
  const { kind, choices = [] } = settingRow(setting).shape
  return kind === 'boolean' ? ['true', 'false'] : choices.filter((choice) => choice !== '')
}

async function readCodes(): Promise<readonly string[]> {
  const { runbooks } = await import('../../../lib/model/findings/runbook/runbooks.js')
  return runbooks.map(({ name }) => name)
}

/** With `detail` each setting is an object. */
async function readSettings(session: Session, cluster: string): Promise<readonly Setting[]> {
  const params = { cluster }
  const settings = await call(session, 'GET /api/clusters/:cluster/settings', { params, query: { detail: true } })
  return Array.isArray(settings) ? settings : []
}

async function readAddresses(
  session: Session,
  cluster: string,
  kind: 'servers' | 'proxies',
): Promise<readonly string[]> {
  const members = await call(session, `GET /api/clusters/:cluster/topology/${kind}`, { params: { cluster } })
  return members.map(({ host, port }) => `${host}:${port}`)
}

const textsOf = <Field extends string>(
  entries: readonly { readonly [Name in Field]: string | number }[],
  field: Field,
): readonly string[] => entries.map((entry) => String(entry[field]))

/** Lifetime of a cached answer: a few keystrokes. */
const KEPT_MS = 10 * SECOND
/** Timeout of one answer. */
const PATIENCE_MS = 2 * SECOND

/** The names of a kind; none where the manager cannot be asked, whatever the reason. */
export async function readNames(
  kind: NameKind,
  {
    session,
    flags,
    word,
  }: { readonly session: Session; readonly flags: CommonFlags; readonly word?: string | undefined },
): Promise<readonly string[]> {
  const { read, ofCluster } = nameKinds[kind]
  const key = [
    flags.user,
    `${flags.host}:${flags.port}`,
    ofCluster ? (flags.cluster ?? '') : '',
    kind,
    word ?? '',
  ].join(' ')
  const kept = await readKept()
  const recent = kept[key]
  if (recent && now() - recent.at < KEPT_MS) return recent.names
  const asked = async () => read(session, ofCluster ? await chooseCluster(session, flags) : '', word)
  const names = await Promise.race([asked().catch(() => undefined), sleep(PATIENCE_MS)])
  if (!names) return []
  await keep({ ...kept, [key]: { at: now(), names } })
  return names
}

interface Kept {
  readonly at: number
  readonly names: readonly string[]
}

const cacheFile = (environment: NodeJS.ProcessEnv = process.env): string =>
  path.join(environment.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'manager', 'names.json')

/** Entries that are out of date are left out; a file that cannot be read holds none. */
async function readKept(): Promise<Readonly<Record<string, Kept>>> {
  try {
    const kept = Object.entries(JSON.parse(await readFile(cacheFile(), 'utf8')) as Readonly<Record<string, Kept>>)
    return Object.fromEntries(
      kept.filter(([, { at, names }]) => Math.abs(now() - at) < KEPT_MS && Array.isArray(names)),
    )
  } catch {
    return {}
  }
}

async function keep(kept: Readonly<Record<string, Kept>>): Promise<void> {
  const file = cacheFile()
  const temporary = `${file}.${process.pid}`
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: modeOf('scratch') })
    await writeFile(temporary, JSON.stringify(kept), { mode: modeOf('token') })
    await rename(temporary, file)
  } catch {
    // Nowhere to keep them: they are asked for again.
  }
}
