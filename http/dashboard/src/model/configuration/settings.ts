// Settings as a page shows them: the value and its origin beside what the setting is for.
import type { Setting as WireSetting } from '../../../../client/api/generated.js'
import type { Loose } from '../../../../client/api/types.js'
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface Setting {
  readonly name: string
  readonly group: string
  readonly doc: string
  readonly kind: string
  readonly allowed: string
  readonly unit?: string
  readonly choices: readonly string[]
  readonly standard: string
  readonly isLive: boolean
  readonly grant: string
  readonly value: string
  readonly origin: string
  /** A change lasts until the next start only: the file, the environment or a flag gives it. */
  readonly isFixed: boolean
  /** Where the value of the next start comes from, when that is another one. */
  readonly given?: string
}

/** Values without a description have no effect that a page could name: they are left out. */
export function joinSettings(values: unknown, catalogue: unknown, scope: 'server' | 'cluster'): readonly Setting[] {
  const described = new Map(
    listOf(wireOf<'GET /api/settings/catalogue'>(catalogue)).flatMap((wire) =>
      textOf(wire.name) ? [[textOf(wire.name), wire] as const] : [],
    ),
  )
  // Read with `detail`: settings, not values by their keys.
  return listOf(values as Loose<readonly WireSetting[]> | undefined).flatMap((wire) => {
    const about = described.get(textOf(wire.name))
    if (!about || about.scope !== scope) return []
    return [
      present<Setting>({
        ...{ name: textOf(wire.name) ?? '', group: textOf(about.group) ?? '', doc: textOf(about.doc) ?? '' },
        ...{ kind: textOf(about.kind) ?? 'text', allowed: textOf(about.allowed) ?? '', unit: textOf(about.unit) },
        choices: Array.isArray(about.choices) ? about.choices.map(String) : [],
        ...{
          standard: textOf(about.default) ?? '',
          isLive: about.apply !== 'restart',
          grant: textOf(about.grant) ?? '',
        },
        ...{ value: plainText(wire.value), origin: textOf(wire.origin) ?? '', isFixed: wire.immutable === true },
        given: textOf(wire.given),
      }),
    ]
  })
}

/** Read with `detail`: values by the names of their settings. */
export const readSettingValues = (reply: unknown): ReadonlyMap<string, string> =>
  new Map(
    listOf(reply as Loose<readonly WireSetting[]> | undefined).flatMap(({ name, value }) =>
      textOf(name) === undefined ? [] : [[String(name), plainText(value)] as const],
    ),
  )

/** As it is written in a file. */
export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, share]) => `${name}:${String(share)}`)
      .join(',')
  return value === undefined || value === null ? '' : String(value)
}

export interface Change {
  readonly id: number
  readonly at: number
  readonly user: string
  readonly name: string
  readonly action: string
  readonly before: string
  readonly after: string
}

export const readChanges = (reply: unknown): readonly Change[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/settings/history'>(reply)).flatMap((wire) => {
    const [id, at] = [numberOf(wire.id), numberOf(wire.at)]
    if (id === undefined || at === undefined) return []
    return [
      {
        ...{ id, at, user: textOf(wire.user) ?? '', name: textOf(wire.name) ?? '', action: textOf(wire.action) ?? '' },
        ...{ before: plainText(fieldsOf(wire.before).value), after: plainText(fieldsOf(wire.after).value) },
      },
    ]
  })
