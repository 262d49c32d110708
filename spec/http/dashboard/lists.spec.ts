import { expect } from 'chai'
import { narrow } from '../../../http/dashboard/src/parts/choose/narrow.js'
import { linesInSight, topsOf } from '../../../http/dashboard/src/parts/list/in-sight.js'
import { parseSort, renderSort, sortRows, turnSort } from '../../../http/dashboard/src/parts/list/order.js'

describe('linesInSight', () => {
  const tops = topsOf(1_000, (index) => (index % 10 === 0 ? 30 : 20))

  it('gives the lines that the window shows and the spare ones', () => {
    expect(linesInSight(tops, { above: 210, height: 100 }, 0)).to.deep.equal({ from: 10, to: 15 })
    expect(linesInSight(tops, { above: 210, height: 100 }, 2)).to.deep.equal({ from: 8, to: 17 })
  })

  it('stays inside of the list at both ends', () => {
    expect(linesInSight(tops, { above: -400, height: 300 }, 2)).to.deep.equal({ from: 0, to: 3 })
    expect(linesInSight(tops, { above: 1e9, height: 300 }, 2)).to.deep.equal({ from: 997, to: 1_000 })
    expect(
      linesInSight(
        topsOf(0, () => 20),
        { above: 0, height: 300 },
        2,
      ),
    ).to.deep.equal({ from: 0, to: 0 })
  })

  it('covers every pixel of the window, wherever it stands', () => {
    for (let above = 0; above < 20_000; above += 137) {
      const { from, to } = linesInSight(tops, { above, height: 333 }, 0)
      expect(tops[from]).to.be.at.most(above)
      expect(tops[to]).to.be.at.least(Math.min(above + 333, tops[1_000] ?? 0))
    }
  })
})

describe('sortRows', () => {
  const rows = [{ v: 'db10' }, { v: null }, { v: 'db2' }, { v: 'DB1' }]

  it('orders names as people read them and what is missing last, in both directions', () => {
    expect(sortRows(rows, ({ v }) => v, false).map(({ v }) => v)).to.deep.equal(['DB1', 'db2', 'db10', null])
    expect(sortRows(rows, ({ v }) => v, true).map(({ v }) => v)).to.deep.equal(['db10', 'db2', 'DB1', null])
  })

  it('orders numbers by value', () => {
    expect(sortRows([10, 9, 100], (value) => value, false)).to.deep.equal([9, 10, 100])
  })
})

describe('a sort in the address', () => {
  it('is a key, downwards after a minus', () => {
    expect(parseSort('-lag')).to.deep.equal({ key: 'lag', down: true })
    expect(parseSort('')).to.equal(undefined)
    expect(renderSort({ key: 'lag', down: true })).to.equal('-lag')
  })

  it('turns with each click', () => {
    const first = turnSort(undefined, 'lag')
    expect(first).to.deep.equal({ key: 'lag', down: false })
    expect(turnSort(first, 'lag')).to.deep.equal({ key: 'lag', down: true })
    expect(turnSort(first, 'name')).to.deep.equal({ key: 'name', down: false })
  })
})

describe('narrow', () => {
  const names = ['shop-orders', 'orders', 'reorders', 'orders-eu', 'mail']

  it('puts what begins with the text before what contains it', () => {
    expect(narrow(names, ' ORDERS ', (name) => name)).to.deep.equal(['orders', 'orders-eu', 'shop-orders', 'reorders'])
  })

  it('gives all for no text, none for what fits nothing', () => {
    expect(narrow(names, '', (name) => name)).to.deep.equal(names)
    expect(narrow(names, 'x', (name) => name)).to.deep.equal([])
  })
})
