// Applies the rows of a tool to what its files say of one cluster: settings with their origins, and a line of the report for each value.
import type { SettingName } from '../../lib/settings/index.js'
import { isClusterName, settingRow } from '../../lib/settings/index.js'
import {
  type ClusterInput,
  type Context,
  type Foreign,
  type ForeignRow,
  type Part,
  type Plain,
  placeOf,
  type Sighting,
} from './foreign.js'

export type Fate = 'taken over' | 'no counterpart' | 'ignored' | 'to be added'

export interface Line {
  readonly fate: Fate
  /** `[section] name` there. */
  readonly name: string
  readonly place: string
  readonly ours: string
  readonly remark: string
}

export interface Given {
  readonly value: Plain
  /** Places and names, for the comment. */
  readonly from: readonly string[]
}

export interface Assembled {
  readonly name: string
  readonly settings: ReadonlyMap<SettingName, Given>
  readonly lines: readonly Line[]
}

export function assemble(foreign: Foreign, input: ClusterInput): Assembled {
  const settings = new Map<SettingName, Given>()
  const lists = new Map<SettingName, Given[]>()
  const halves = new Map<Part, Sighting>()
  const lines = new Map<Sighting, Line>()
  const name = clusterNameOf(input.name)
  const hosts = input.hosts.map(({ address }) => address)
  const owners = new Map<SettingName | Part, Sighting>()
  const context: Context = { cluster: name, hosts, addressOf: input.addressOf }

  /** A later value holds; of servers that differ among themselves the first one. Answers whether this one does. */
  const claim = (key: SettingName | Part, sighting: Sighting): boolean => {
    const owner = owners.get(key)
    const line = owner && lines.get(owner)
    if (owner && line && owner.entry.value !== sighting.entry.value) {
      if (sighting.kind === 'server') return false
      lines.set(owner, { ...line, fate: 'ignored', remark: `${placeOf(sighting.entry)} holds in its place` })
    }
    owners.set(key, sighting)
    return true
  }

  for (const part of input.parts) {
    const row = rowOf(foreign, part)
    const gift = row?.convert?.(part.entry, {
      ...context,
      ...(part.address === undefined ? {} : { address: part.address }),
    })
    lines.set(part, lineOf(part, row, gift?.problem))
    if (gift === undefined || gift.problem !== undefined) continue
    const from = [`${placeOf(part.entry)} ${part.entry.name}`]
    const keys = [...Object.keys(gift.settings ?? {}), ...(gift.part === undefined ? [] : [gift.part])]
    const isLast = (keys as (SettingName | Part)[]).map((key) => claim(key, part)).every((held) => held)
    if (!isLast) {
      lines.set(part, lineOf(part, row, 'differs from what holds for the cluster, which has one value: decide which'))
      continue
    }
    if (gift.part !== undefined) halves.set(gift.part, part)
    for (const [key, value] of Object.entries(gift.settings ?? {})) settings.set(key as SettingName, { value, from })
    for (const [key, items] of Object.entries(gift.items ?? {}))
      lists.set(key as SettingName, [
        ...(lists.get(key as SettingName) ?? []),
        ...items.map((value) => ({ value, from })),
      ])
  }
  for (const [key, items] of lists) settings.set(key, joined(items))
  if (input.hosts.length > 0)
    settings.set('db-servers-hosts', joined(input.hosts.map(({ address, from }) => ({ value: address, from: [from] }))))
  for (const { setting, value, from } of input.derived) settings.set(setting, { value, from: [from] })
  const missing = [
    ...input.missing,
    ...(name === input.name ? [] : [`the cluster is called ${name}: ${input.name} cannot be a name here`]),
  ]
  const accounts = accountsOf(halves, input.sharesAccount === true)
  for (const [key, given] of accounts.settings) settings.set(key, given)
  return { name, settings, lines: [...lines.values(), ...[...missing, ...accounts.missing].map(missingLine)] }
}

/** What belongs to no cluster. */
export const linesOfOthers = (foreign: Foreign, others: readonly Sighting[]): readonly Line[] =>
  others.map((part) => {
    const row = rowOf(foreign, part)
    return lineOf(part, row, row?.convert === undefined ? undefined : 'belongs to no cluster that is imported')
  })

function rowOf({ rows }: Foreign, { kind, entry }: Sighting): ForeignRow | undefined {
  const here = rows.filter((row) => row.in.includes(kind))
  const same = (name: string): boolean => name.toLowerCase() === entry.name.toLowerCase()
  const begins = (name: string): boolean =>
    name.endsWith('*') && entry.name.toLowerCase().startsWith(name.slice(0, -1).toLowerCase())
  return here.find(({ name }) => same(name)) ?? here.find(({ name }) => begins(name))
}

function lineOf({ entry }: Sighting, row: ForeignRow | undefined, problem: string | undefined): Line {
  const name = entry.section === '' ? entry.name : `[${entry.section}] ${entry.name}`
  const common = { name, place: placeOf(entry), ours: (row?.ours ?? []).join(', ') }
  if (row === undefined)
    return { ...common, fate: 'no counterpart', remark: 'not a known name: check whether it has an effect there' }
  if (problem !== undefined) return { ...common, fate: 'no counterpart', remark: problem }
  return {
    ...common,
    fate: row.convert ? 'taken over' : row.ignored ? 'ignored' : 'no counterpart',
    remark: row.remark,
  }
}

function missingLine(text: string): Line {
  const [, ours = '', remark = text] = /^([a-z-]+(?:, [a-z-]+)*): (.*)$/s.exec(text) ?? []
  return { fate: 'to be added', name: '', place: '', ours, remark }
}

const joined = (items: readonly Given[]): Given => ({
  value: [...new Set(items.map(({ value }) => value))].join(','),
  from: [...new Set(items.flatMap(({ from }) => from))],
})

/** A pair becomes one setting; one that cannot is named. */
function accountsOf(halves: ReadonlyMap<Part, Sighting>, isShared: boolean) {
  const settings = new Map<SettingName, Given>()
  const missing: string[] = []
  for (const [key, prefix] of [
    ['db-servers-credential', ''],
    ['replication-credential', 'replication-'],
  ] as const) {
    const isAlone = isShared && !halves.has('replication-user') && !halves.has('replication-password')
    const from = isAlone ? '' : prefix
    const user = halves.get(`${from}user`)?.entry
    const password = halves.get(`${from}password`)?.entry
    const isVariable = [user, password].some((entry) => entry !== undefined && /^\$\{\w+\}$/.test(entry.value))
    if (user === undefined && password === undefined) continue
    if (user === undefined || password === undefined)
      missing.push(`${key}: only one of user and password could be taken over: write user:password`)
    else if (isVariable) missing.push(`${key}: a variable of the environment stands there: write user:password`)
    else if (user.value.includes(':'))
      missing.push(`${key}: the user has a colon in its name: create an account without one, see accounts.md`)
    else
      settings.set(key, {
        value: `${user.value}:${password.value}`,
        from: [`${placeOf(user)} ${user.name}`, `${placeOf(password)} ${password.name}`],
      })
  }
  return { settings, missing }
}

/** A name that a cluster may have. */
export function clusterNameOf(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return isClusterName(plain) ? plain : `cluster-${plain.replaceAll('.', '-')}`.slice(0, 64)
}

export const isSecretSetting = (name: SettingName): boolean => settingRow(name).secret
