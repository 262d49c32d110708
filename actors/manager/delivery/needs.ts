// What a server needs, as flags in its directory: read by hosts and scripts, cleared where a yes is given once.
import path from 'node:path'
import { type Cookie, clearCookie, consumeCookie, hasCookie, listCookies, setCookie } from '../../../lib/store/index.js'
import type { Need } from '../../protocol/manager/face.js'

/** The flag behind each need. Config fetch is inverted: its flag means that nothing is to be fetched. */
export const needCookies: Readonly<Record<Exclude<Need, 'config-fetch'>, Cookie>> = {
  prov: 'prov',
  unprov: 'unprov',
  restart: 'restart',
  reprov: 'reprov',
  'config-change': 'config',
  start: 'waitstart',
  stop: 'waitstop',
}

/** The needs that have a flag. */
export const needsOf = (cookies: readonly Cookie[]): readonly Need[] =>
  (Object.keys(needCookies) as (keyof typeof needCookies)[]).filter((need) => cookies.includes(needCookies[need]))

export interface NeedQuery {
  /** The server's directory. */
  readonly directory: string
  readonly need: Need
  readonly consume: boolean
  /** `prov-db-start-fetch-config` of the cluster. */
  readonly fetchOnStart: boolean
}

export async function askNeed({ directory, need, consume, fetchOnStart }: NeedQuery): Promise<boolean> {
  if (need === 'config-fetch') {
    await (fetchOnStart ? clearCookie : setCookie)(directory, 'noconfigfetch')
    return fetchOnStart && !(await hasCookie(directory, 'noconfigfetch'))
  }
  if (!consume) return hasCookie(directory, needCookies[need])
  const taken = await consumeCookie(directory, needCookies[need])
  return taken.ok && taken.value
}

export const serverDirectory = (
  workingDirectory: string,
  cluster: string,
  { host, port }: { host: string; port: number },
): string => path.join(workingDirectory, cluster, `${host}_${port}`)

/** Flags that are set from a change of a server's configuration until its next start. */
const changeFlags: readonly Cookie[] = ['restart', 'reprov', 'configrefresh']

/** Whether the configuration of a server was changed since it started. */
export async function isBehind(directory: string): Promise<boolean> {
  const standing = await listCookies(directory)
  return changeFlags.some((flag) => standing.includes(flag))
}
