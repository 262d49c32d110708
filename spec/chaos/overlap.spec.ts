// Two servers that take writes at the same time break the rule, and a machine without a free processor does not.
import { expect } from 'chai'
import { type BlindSpan, judgeOverlap, type Sample } from './overlap.js'

interface Drawn {
  readonly ms: number
  /** Between two answers of each. */
  readonly everyMs: readonly [number, number]
  /** Transactions that each wrote. */
  readonly wrote: readonly [number, number]
  readonly blind?: readonly BlindSpan[]
}

function judge({ ms, everyMs, wrote, blind = [] }: Drawn): string | undefined {
  const samplesOf = (index: 0 | 1): readonly Sample[] =>
    Array.from({ length: Math.floor(ms / everyMs[index]) + 1 }, (_, count) => ({
      at: count * everyMs[index],
      written: 100 + (count === 0 ? 0 : wrote[index]),
    }))
  return judgeOverlap({ from: 0, until: ms, nodes: ['db1', 'db2'], samples: [samplesOf(0), samplesOf(1)] }, blind)
}

describe('judgeOverlap', () => {
  for (const [title, drawn, expected] of [
    ['two that are open for long', { ms: 2_200, everyMs: [22, 22], wrote: [0, 0] }, /for 2200 ms, .*101 and 101 times/],
    ['one that writes beside one that does not', { ms: 4_300, everyMs: [22, 30], wrote: [90, 0] }, /90 and 0 trans/],
    [
      'two that both write, however slow the machine is',
      { ms: 2_200, everyMs: [900, 900], wrote: [1, 1] },
      /1 and 1 tra/,
    ],
    ['a server that is closed in time', { ms: 1_900, everyMs: [22, 22], wrote: [9, 9] }, undefined],
    ['servers that hardly answer', { ms: 4_335, everyMs: [300, 250], wrote: [0, 0] }, undefined],
    ['one that hardly answers beside the primary', { ms: 4_335, everyMs: [22, 250], wrote: [50, 0] }, undefined],
    [
      'time in which the manager was away',
      { ms: 4_300, everyMs: [22, 22], wrote: [9, 9], blind: [{ from: 0, until: 3_000 }] },
      undefined,
    ],
    [
      'one in maintenance that writes nothing',
      { ms: 4_300, everyMs: [22, 22], wrote: [9, 0], blind: [{ from: 0, until: 3_000, node: 'db2' }] },
      undefined,
    ],
    [
      'one in maintenance that writes as well',
      { ms: 4_300, everyMs: [22, 22], wrote: [9, 9], blind: [{ from: 0, until: 3_000, node: 'db2' }] },
      /9 and 9 trans/,
    ],
    [
      'two beside one in maintenance',
      { ms: 4_300, everyMs: [22, 22], wrote: [9, 0], blind: [{ from: 0, until: 3_000, node: 'db3' }] },
      /9 and 0 trans/,
    ],
  ] as const satisfies readonly (readonly [string, Drawn, RegExp | undefined])[])
    it(`${expected ? 'refuses' : 'accepts'} ${title}`, () => {
      const found = judge(drawn)
      if (expected) expect(found).to.match(expected)
      else expect(found).to.equal(undefined)
    })
})
