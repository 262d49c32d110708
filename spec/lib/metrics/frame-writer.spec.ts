// What goes into a frame comes out of it: every kind of value, and samples of whichever servers a family has.
import { expect } from 'chai'
import { openFrame } from '../../../lib/metrics/frame-writer.js'
import { type FrameReader, readFrame } from '../../../lib/metrics/frames.js'
import { TextSink } from '../../../lib/metrics/sink.js'

function linesOf(reader: FrameReader): readonly string[] {
  const sink = new TextSink(1_024)
  while (reader.family) reader.take(sink)
  return sink.end().toString().split('\n').slice(0, -1)
}

describe('openFrame', () => {
  it('keeps numbers as the engine writes them', () => {
    const numbers = [
      ...[0, -0, 1, 9, 10, 99, 100, 101, 999, 1_000, 65_535, 1_000_000, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e20, 1e21],
      ...[-1, -10, 0.5, 1.25, 0.1 + 0.2, 1e-7, 12_345.678_9, Number.NaN, Number.POSITIVE_INFINITY],
    ]
    const frame = openFrame()
    for (const [index, value] of numbers.entries()) frame.add('x', { labels: { index: `${index}` }, value })
    const expected = numbers.map((value, index) => `x{index="${index}"} ${value}`)
    expect(linesOf(readFrame(frame.encode()))).to.deep.equal(expected)
  })

  it('keeps texts to the character', () => {
    const texts = [
      '0',
      '00',
      '000',
      '18446744073709551615',
      '-1.50',
      '.5',
      '+1',
      '1.',
      '007e-03',
      '1E5',
      '1'.repeat(300),
    ]
    const frame = openFrame()
    for (const [index, value] of texts.entries()) frame.add('x', { labels: { index: `${index}` }, value })
    const expected = texts.map((value, index) => `x{index="${index}"} ${value}`)
    expect(linesOf(readFrame(frame.encode()))).to.deep.equal(expected)
  })

  it('keeps samples of some servers, of none before, in any order and twice', () => {
    const servers = ['a', 'b', 'c', 'd'].map((server) => ({ server }))
    const orders = {
      f1: [0, 1, 2, 3],
      f2: [0, 1, 2, 3],
      f3: [1, 2, 3],
      f4: [1, 3],
      f5: [3, 2, 1, 0],
      f6: [2, 2],
      f7: [0],
    }
    const frame = openFrame()
    for (const [family, order] of Object.entries(orders))
      for (const index of order) frame.add(family, { labels: servers[index] ?? {}, value: index })
    const expected = Object.entries(orders).flatMap(([family, order]) =>
      order.map((index) => `${family}{server="${servers[index]?.server}"} ${index}`),
    )
    expect(linesOf(readFrame(frame.encode()))).to.deep.equal(expected)
  })

  it('takes two bytes for a value of two digits whose server is the expected one', () => {
    const frame = (families: number): Buffer => {
      const writer = openFrame()
      for (let family = 0; family < families; family += 1)
        for (const server of ['a', 'b', 'c', 'd']) writer.add(`f${family + 100}`, { labels: { server }, value: 42 })
      return writer.encode()
    }
    // Of a line: how much of its name is shared, the rest of it, four times a blank and the value, the line feed.
    expect(frame(9).length - frame(8).length).to.equal(1 + 1 + 4 * 2 + 1)
  })
})
