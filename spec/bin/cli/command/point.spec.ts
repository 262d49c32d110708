// A point in time by the options of a command, as the query of the API.
import { expect } from 'chai'
import { type PointOptions, pointOf } from '../../../../bin/cli/command/operate/point.js'

describe('pointOf', () => {
  const points: readonly (readonly [PointOptions, object])[] = [
    [{ end: true }, {}],
    [{ end: true, backup: '7' }, { backup: '7' }],
    [{ before: '0-1-4711' }, { gtid: '0-1-4711', before: true }],
    [{ gtid: '0-1-4711' }, { gtid: '0-1-4711' }],
    [{ time: '2026-11-22T15:04:59Z' }, { time: '1795359899' }],
    [
      { ofFile: 'bin.000001', position: '1200' },
      { file: 'bin.000001', position: '1200' },
    ],
  ]
  for (const [options, query] of points)
    it(`asks for ${JSON.stringify(options)}`, () => expect(pointOf(options)).to.deep.equal(query))

  it('refuses no point, two of them, and half of one', () => {
    for (const options of [{}, { backup: '7' }, { end: true, gtid: '0-1-4711' }, { before: '0-1-2', time: '7' }])
      expect(() => pointOf(options), JSON.stringify(options)).to.throw(/^Name one point: --end, --before/)
    expect(() => pointOf({ ofFile: 'bin.000001' })).to.throw(/belong together/)
  })
})
