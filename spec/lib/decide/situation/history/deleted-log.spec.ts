import { expect } from 'chai'
import { beginDeletion, judgeLogHead, leaveDeletions } from '../../../../../lib/decide/situation/history/deleted-log.js'
import { freshMemory } from '../../../../../lib/model/memory.js'

describe('judgeLogHead', () => {
  const uuid = '3e11fa47-71ca-11e1-9e33-c80aa9429562'
  for (const [title, outcome, flavour, history, head] of [
    ['a log that begins with the history', 'continued', 'mariadb', '0-1-17,0-2-5', ['0-1-40,0-2-5', '0-2-5,0-1-17']],
    ['one that begins with none of it', 'begun-again', 'mariadb', '0-1-17', ['', '']],
    ['one that was written since', 'begun-again', 'mariadb', '0-1-17', ['0-1-3', '']],
    ['a stream that no server writes any more', 'begun-again', 'mariadb', '0-1-17,0-2-5', ['0-1-90', '']],
    ['as many numbers as before', 'unknown', 'mariadb', '0-1-17', ['0-1-17', '']],
    ['a log that was not deleted', 'unknown', 'mariadb', '0-1-17,0-2-5', ['0-1-18,0-2-5', '0-2-5']],
    ['purged transactions of MySQL', 'continued', 'mysql', `${uuid}:1-17`, [`${uuid}:1-40`, `${uuid}:1-17`]],
    ['none of MySQL', 'begun-again', 'mysql', `${uuid}:1-17`, [`${uuid}:1-3`, '']],
  ] as const)
    it(`says ${outcome} of ${title}`, () => {
      const [now, oldest] = head
      expect(judgeLogHead(history, { history: now, oldest }, flavour)).to.equal(outcome)
    })
})

describe('leaveDeletions', () => {
  it('leaves what can be asked, and what a manager before that saved without a history', () => {
    const kept = beginDeletion(freshMemory, 'db1', { since: 1, history: '0-1-17' })
    const both = beginDeletion(kept, 'db2', { since: 2 })
    expect(leaveDeletions(both).deleting).to.deep.equal({ db1: { since: 1, history: '0-1-17', unread: true } })
    const old = JSON.parse('{"db1":1764000000000}') as NonNullable<typeof both.deleting>
    expect(leaveDeletions({ ...freshMemory, deleting: old }).deleting).to.equal(undefined)
  })
})
