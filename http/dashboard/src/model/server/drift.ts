// What a server runs with against what its configuration says, and what was decided about it.
import { fieldsOf, listOf, present, textOf, wireOf } from '../wire.js'

export interface Difference {
  readonly name: string
  readonly expected: string
  readonly running: string
  readonly deployed?: string
  readonly origin?: string
  readonly state: string
}

export interface Drift {
  readonly isWatched: boolean
  readonly differences: readonly Difference[]
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : '')

export function readDrift(reply: unknown): Drift {
  const wire = fieldsOf(wireOf<'GET /api/clusters/:cluster/servers/:server/variables-drift'>(reply))
  return {
    isWatched: wire.watched === true,
    differences: listOf(wire.differences).flatMap((each) => {
      const name = textOf(each.name)
      if (name === undefined) return []
      return [
        present<Difference>({
          ...{
            name,
            expected: plain(each.expected),
            running: plain(each.running),
            state: textOf(each.state) ?? 'undecided',
          },
          deployed: textOf(each.deployed),
          origin: textOf(each.origin),
        }),
      ]
    }),
  }
}
