// Tags, the split of the memory, and what other tags and resources would change.
import type { MemorySplit as WireSplit } from '../../../../client/api/generated.js'
import type { Loose } from '../../../../client/api/types.js'
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface TagChoice {
  readonly name: string
  readonly category: string
  readonly doc: string
  readonly isChosen: boolean
  readonly excludes: readonly string[]
}

export interface MemorySplit {
  readonly usableMb?: number
  readonly sumKb?: number
  readonly sessions?: number
  readonly figures: readonly { readonly name: string; readonly kb: number; readonly why: string }[]
}

export interface Effect {
  readonly server: string
  readonly differences: readonly { readonly name: string; readonly before?: string; readonly after?: string }[]
  readonly needsRestart: boolean
  readonly needsNewData: boolean
  readonly statements: readonly string[]
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[]
}

export interface Preview {
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  readonly before: MemorySplit
  readonly after: MemorySplit
  readonly servers: readonly Effect[]
}

export const readTags = (reply: unknown): readonly TagChoice[] =>
  listOf(fieldsOf(wireOf<'GET /api/clusters/:cluster/configuration'>(reply)).tags).map((wire) => ({
    ...{ name: textOf(wire.name) ?? '', category: textOf(wire.category) ?? 'other', doc: textOf(wire.doc) ?? '' },
    ...{ isChosen: wire.chosen === true, excludes: textsOf(wire.excludes) },
  }))

/** The split in use. */
export const readMemory = (reply: unknown): MemorySplit =>
  readSplit(fieldsOf(wireOf<'GET /api/clusters/:cluster/configuration'>(reply)).memory)

export function readPreview(reply: unknown): Preview {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/configuration/preview'>(reply))
  const [tags, memory] = [fieldsOf(wire.tags), fieldsOf(wire.memory)]
  return {
    ...{ added: textsOf(tags.added), dropped: textsOf(tags.dropped) },
    ...{ before: readSplit(memory.before), after: readSplit(memory.after) },
    servers: listOf(wire.servers).map((each) => ({
      server: textOf(each.server) ?? '',
      differences: listOf(each.differences).map(({ name, before, after }) =>
        present<Effect['differences'][number]>({
          name: textOf(name) ?? '',
          before: typeof before === 'string' ? before : undefined,
          after: typeof after === 'string' ? after : undefined,
        }),
      ),
      ...{
        needsRestart: each.restart === true,
        needsNewData: each.reprov === true,
        statements: textsOf(each.statements),
      },
      files: listOf(each.files).map(({ path, before, after }) => ({
        ...{ path: textOf(path) ?? '', before: textOf(before) ?? '', after: textOf(after) ?? '' },
      })),
    })),
  }
}

const readSplit = (split: Loose<WireSplit> | undefined): MemorySplit => {
  const wire = fieldsOf(split)
  return present<MemorySplit>({
    usableMb: numberOf(wire.usableMb),
    sumKb: numberOf(wire.sumKb),
    sessions: numberOf(wire.workingConnections),
    figures: listOf(wire.figures).flatMap(({ name, kb, why }) =>
      typeof name === 'string' && typeof kb === 'number' ? [{ name, kb, why: textOf(why) ?? '' }] : [],
    ),
  })
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** Servers whose files change alike are shown once: the names of all of them over one of their effects. */
export function groupEffects(
  effects: readonly Effect[],
): readonly { readonly servers: readonly string[]; readonly effect: Effect }[] {
  const groups = new Map<string, { servers: string[]; effect: Effect }>()
  for (const effect of effects) {
    const key = JSON.stringify([effect.differences, effect.files, effect.statements, effect.needsRestart])
    const known = groups.get(key)
    if (known) known.servers.push(effect.server)
    else groups.set(key, { servers: [effect.server], effect })
  }
  return [...groups.values()]
}
