// Which servers cannot simply follow, and what only they have.
import { expect } from 'chai'
import { judgeReturning, listReturning } from '../../../../lib/decide/repair/returning.js'
import { formatSet } from '../../../../lib/model/server/gtid.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  channel,
  crash,
  primary,
  type SituationDraft,
  type StateDraft,
  server,
  silent,
  situation,
  stateOf,
} from '../../../support/simulator/situation.js'

const replaced: SituationDraft = { memory: { primary: 'db3', crashes: [crash({ newPrimary: 'db3' })] } }
const fresh = primary(3, { executed: '0-1-100,0-3-130' })
const closed = (number: number, state: StateDraft = {}) => server(number, { state: stateOf(number, state) })
const below = (number: number, source: number, state: StateDraft = {}) =>
  closed(number, { channels: [channel({ source, received: '0-1-100' })], ...state })
const found = (servers: readonly ServerSnapshot[], draft = replaced) =>
  listReturning(situation(servers, draft)).map(({ server: { name }, cause, extra }) =>
    [name, cause, formatSet(extra)].join(' '),
  )

describe('listReturning', () => {
  it('names an old primary with what only it has', () => {
    expect(found([closed(1, { executed: '0-1-103' }), fresh])).to.deep.equal(['db1 diverged 0-1:101-103'])
    expect(found([closed(1), fresh]), 'one that can follow').to.deep.equal([])
  })

  describe('of two that died at once and both wrote alone', () => {
    const old = closed(1, { executed: '0-1-103' })
    const other = below(2, 1, { executed: '0-1-100,0-2-101' })

    it('names the replica first: its source waits until nothing replicates from it', () => {
      expect(found([old, other, fresh])).to.deep.equal(['db2 diverged 0-2:1-101'])
      const filled = closed(2, { executed: '0-1-100,0-3-130' })
      expect(found([old, filled, fresh])).to.deep.equal(['db1 diverged 0-1:101-103'])
    })

    it('names the lowest of a chain', () => {
      const leaf = below(4, 2, { executed: '0-1-100,0-2-101' })
      expect(found([old, other, leaf, fresh])).to.deep.equal(['db4 diverged 0-2:1-101'])
    })

    it('leaves out what it only received from a source that executed it, and counts what no other server has', () => {
      const received = below(2, 1, {
        executed: '0-1-100,0-2-101',
        channels: [channel({ source: 1, received: '0-1-103', applied: '0-1-100' })],
      })
      expect(found([old, received, fresh])).to.deep.equal(['db2 diverged 0-2:1-101'])
      expect(found([closed(1), received, fresh])).to.deep.equal(['db2 diverged 0-2:1-101,0-1:102-103'])
    })

    it('says to a person what comes first', () => {
      const judged = judgeReturning(situation([old, other, fresh], replaced), 'db1')
      expect(!judged.ok && judged.failure.message).to.equal(
        'db2 replicate from db1: repoint them to the primary, or bring them back, first',
      )
    })
  })

  it('names no replica of a former primary that has nothing of its own: it is repointed', () => {
    expect(found([server(1, silent()), below(2, 1), fresh])).to.deep.equal([])
  })

  it('names no replica whose source was never replaced: a person may have moved the role there', () => {
    const other = below(2, 1, { executed: '0-1-100,0-2-101' })
    expect(found([closed(1), other, fresh], { memory: { primary: 'db3', crashes: [] } })).to.deep.equal([])
  })

  it('names no replica below the primary', () => {
    const ahead = below(2, 3, { executed: '0-1-100,0-2-101' })
    expect(found([closed(1), ahead, fresh])).to.deep.equal([])
  })
})
