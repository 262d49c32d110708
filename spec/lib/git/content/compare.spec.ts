// Three-way comparison: by hand for each rule, and by random states for what must always hold.
import { expect } from 'chai'
import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { compareStates, editsBetween } from '../../../../lib/git/content/compare.js'
import type { FileSet } from '../../../../lib/git/content/file-set.js'

type Values = Readonly<Record<string, number>>

const file = (values: Values): string => stringify({ 'saved-shop': values })
const files = (values: Values | undefined): FileSet => new Map(values ? [['shop/shop.toml', file(values)]] : [])
const compare = (base: Values | undefined, local: Values | undefined, remote: Values | undefined) =>
  compareStates({ base: files(base), local: files(local), remote: files(remote), instance: '' })
const valuesOf = (text: string | undefined): unknown =>
  text === undefined ? undefined : (parse(text) as Record<string, unknown>)['saved-shop']

describe('compareStates', () => {
  it('sends out what changed here, and nothing of equal states', () => {
    const { outgoing, incoming } = compare({ a: 1 }, { a: 2 }, { a: 1 })
    expect([valuesOf(outgoing.get('shop/shop.toml')), incoming]).to.deep.equal([{ a: 2 }, []])
    expect(compare({ a: 1 }, { a: 2 }, { a: 2 }).outgoing.size).to.equal(0)
  })

  it('keeps a change of others beside one of its own, and names it', () => {
    const { outgoing, incoming, conflicts } = compare({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 3 })
    expect(valuesOf(outgoing.get('shop/shop.toml'))).to.deep.equal({ a: 2, b: 3 })
    expect(incoming).to.deep.equal([{ scope: 'shop', change: 'edit', values: new Map([['b', 3]]) }])
    expect(conflicts).to.deep.equal([])
  })

  it('lets this side win where both changed a setting', () => {
    const { outgoing, incoming, conflicts } = compare({ a: 1 }, { a: 2 }, { a: 3 })
    expect(valuesOf(outgoing.get('shop/shop.toml'))).to.deep.equal({ a: 2 })
    expect([incoming, conflicts]).to.deep.equal([[], ['shop: a']])
  })

  it('takes a file for a whole cluster only where it was added at run time', () => {
    const added = { 'added-at-run-time': true, a: 1 } as unknown as Values
    expect(compare(undefined, undefined, added).incoming).to.deep.equal([
      { scope: 'shop', change: 'add', values: new Map([['a', 1]]) },
    ])
    expect(compare(added, added, undefined).incoming).to.deep.equal([
      { scope: 'shop', change: 'remove', values: new Map() },
    ])
    expect(compare(undefined, undefined, { a: 1 }).incoming[0]?.change).to.equal('edit')
    expect(compare({ a: 1 }, { a: 1 }, undefined).incoming).to.deep.equal([
      { scope: 'shop', change: 'edit', values: new Map([['a', undefined]]) },
    ])
  })

  it('writes over what the manager writes itself, and says so', () => {
    const given = (text: string): FileSet => new Map([['shop/immutable.toml', text]])
    const states = { base: given('a = 1'), local: given('a = 1'), remote: given('a = 2'), instance: '' }
    const { outgoing, ignored } = compareStates(states)
    expect([[...outgoing], ignored]).to.deep.equal([[['shop/immutable.toml', 'a = 1']], ['shop/immutable.toml']])
  })

  it('leaves a file that is not readable where it is, until it has something to say', () => {
    const broken: FileSet = new Map([['shop/shop.toml', 'a = = 1']])
    const held = compareStates({ base: files({ a: 1 }), local: files({ a: 1 }), remote: broken, instance: '' })
    expect([held.outgoing.size, held.incoming, held.unreadable]).to.deep.equal([0, [], ['shop/shop.toml']])
    const own = compareStates({ base: files({ a: 1 }), local: files({ a: 2 }), remote: broken, instance: '' })
    expect(valuesOf(own.outgoing.get('shop/shop.toml'))).to.deep.equal({ a: 2 })
  })

  it('has no part in files of other instances and of people', () => {
    const theirs: FileSet = new Map([
      ['README.md', 'x'],
      ['instances/two.toml', 'y'],
      ['.github/ci.yml', 'z'],
    ])
    const compared = compareStates({ base: new Map(), local: new Map(), remote: theirs, instance: 'one' })
    expect([compared.outgoing.size, compared.incoming]).to.deep.equal([0, []])
  })

  const state = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 2 }))

  it('loses no change of either side: each is sent out, comes in, or is a named conflict that this side wins', () => {
    fc.assert(
      fc.property(state, state, state, (base, local, remote) => {
        const { outgoing, incoming, conflicts } = compare(base, local, remote)
        const text = outgoing.get('shop/shop.toml')
        const merged = (text === undefined ? remote : valuesOf(text)) as Values
        const edits = incoming[0]?.values ?? new Map<string, unknown>()
        for (const name of ['a', 'b', 'c', 'd']) {
          const [was, here, there] = [base[name], local[name], remote[name]]
          const isConflict = here !== was && there !== was && here !== there
          expect(merged[name]).to.equal(here === was ? there : here)
          expect(edits.has(name)).to.equal(here === was && there !== was)
          expect(conflicts.includes(`shop: ${name}`)).to.equal(isConflict)
        }
      }),
    )
  })

  it('agrees once the changes of others are made here: nothing is left to send or to decide', () => {
    fc.assert(
      fc.property(state, state, state, (base, local, remote) => {
        const { outgoing, incoming } = compare(base, local, remote)
        const text = outgoing.get('shop/shop.toml')
        const pushed = (text === undefined ? remote : valuesOf(text)) as Values
        const made: Record<string, number> = { ...local }
        for (const [name, value] of incoming[0]?.values ?? []) {
          if (value === undefined) delete made[name]
          else made[name] = value as number
        }
        const next = compare(local, made, pushed)
        expect([next.incoming, next.conflicts]).to.deep.equal([[], []])
        expect(made).to.deep.equal(pushed)
      }),
    )
  })
})

describe('editsBetween', () => {
  it('gives what makes one state the other', () => {
    expect(editsBetween(files({ a: 1, b: 1 }), files({ b: 2 }), '')).to.deep.equal([
      {
        scope: 'shop',
        change: 'edit',
        values: new Map([
          ['a', undefined],
          ['b', 2],
        ]),
      },
    ])
  })
})
