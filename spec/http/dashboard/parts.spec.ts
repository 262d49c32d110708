import { expect } from 'chai'
import { inHouseWords } from '../../../http/dashboard/src/model/words.js'
import { sparkPath } from '../../../http/dashboard/src/parts/chart/spark-path.js'
import { renderCommand, renderCurl } from '../../../http/dashboard/src/parts/code/command.js'
import { diffLines } from '../../../http/dashboard/src/parts/code/diff-lines.js'
import { createChords } from '../../../http/dashboard/src/shell/keys.js'
import { backOff } from '../../../http/dashboard/src/stream/back-off.js'

describe('a request as a command', () => {
  const request = { method: 'POST', path: "/api/clusters/o'rders/actions/switchover", body: { text: "it's" } }

  it('is curl with the token in a variable, whatever the names contain', () => {
    expect(renderCurl(request, 'https://manager:10005')).to.equal(
      `curl -X POST -H "Authorization: Bearer $MANAGER_TOKEN" -H 'Content-Type: application/json' -d '{"text":"it'\\''s"}' 'https://manager:10005/api/clusters/o'\\''rders/actions/switchover'`,
    )
  })

  it('is the client with the same request', () => {
    expect(renderCommand({ method: 'GET', path: '/api/clusters/a/status?limit=1&offset=2' })).to.equal(
      "manager-cli api --url '/api/clusters/a/status?limit=1&offset=2'",
    )
  })
})

describe('diffLines', () => {
  const text = Array.from({ length: 20 }, (_none, index) => `line ${index}`)

  it('keeps a few equal lines around a difference and names how many it leaves out', () => {
    const after = text.with(10, 'other')
    expect(diffLines(text.join('\n'), after.join('\n'), 1)).to.deep.equal([
      { type: 'gap', text: '9 equal lines' },
      { type: 'same', text: 'line 9' },
      { type: 'removed', text: 'line 10' },
      { type: 'added', text: 'other' },
      { type: 'same', text: 'line 11' },
      { type: 'gap', text: '8 equal lines' },
    ])
  })
})

describe('sparkPath', () => {
  it('goes from zero to the largest value, with a gap where nothing was measured', () => {
    expect(sparkPath([0, 10, null, 5, 10], 80, 18)).to.equal('M0 17L20 1M60 9L80 1')
  })

  it('is empty for fewer than two values', () => {
    expect(sparkPath([null, 3, null], 80, 18)).to.equal('')
  })
})

describe('createChords', () => {
  const press = (key: string, changes: object = {}) => ({ key, at: 0, inField: false, modified: false, ...changes })

  it('joins g and the key after it', () => {
    const chords = createChords()
    expect([chords(press('g')), chords(press('c')), chords(press('c'))]).to.deep.equal([undefined, 'g c', 'c'])
  })

  it('forgets a g that is long ago', () => {
    const chords = createChords()
    chords(press('g'))
    expect(chords(press('c', { at: 5_000 }))).to.equal('c')
  })

  it('leaves what is typed into a field, and what is held with Ctrl', () => {
    const chords = createChords()
    expect([
      chords(press('/', { inField: true })),
      chords(press('e', { modified: true })),
      chords(press('Tab')),
    ]).to.deep.equal([undefined, undefined, undefined])
  })
})

describe('backOff', () => {
  it('doubles up to ten seconds, and spreads', () => {
    expect([0, 1, 4, 20].map((attempt) => backOff(attempt, 1))).to.deep.equal([500, 1_000, 8_000, 10_000])
    expect(backOff(20, 0)).to.equal(5_000)
  })
})

describe('inHouseWords', () => {
  it('turns the words of the wire into those of the house, and no others', () => {
    expect(inHouseWords('master-slave, Slaves, Mastermind')).to.equal('primary-replica, Replicas, Mastermind')
  })
})
