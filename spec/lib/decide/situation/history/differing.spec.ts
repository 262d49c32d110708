// What is remembered of replicas whose data differ.
import { expect } from 'chai'
import { rememberDiffering } from '../../../../../lib/decide/situation/history/differing.js'
import { freshMemory } from '../../../../../lib/model/memory.js'
import { NOW, primary, replica, settings } from '../../../../support/simulator/situation.js'

const error = { sqlError: { code: 1032, message: "Can't find record in 'rows'" }, sql: 'stopped' } as const
const remembered = (servers: Parameters<typeof rememberDiffering>[1]['servers'], memory = freshMemory) =>
  rememberDiffering(memory, { servers, primary: 'db1', settings, now: NOW })
const known = { ...freshMemory, differing: { db2: { since: 1, error: 'it was so' } } }

describe('rememberDiffering', () => {
  it('notes a replica with its first contradiction, and no other error', () => {
    expect(remembered([primary(1), replica(2, error), replica(3)])).to.deep.equal({
      differing: { db2: { since: NOW, error: error.sqlError.message } },
    })
    const other = { sqlError: { code: 1146, message: 'no such table' }, sql: 'stopped' } as const
    expect(remembered([primary(1), replica(2, other)])).to.deep.equal({})
  })

  it('keeps it when the event was passed over, without another object', () => {
    expect(remembered([primary(1), replica(2), replica(3)], known)).to.deep.equal({})
  })

  it('forgets it when the data are replaced, and of the primary', () => {
    expect(remembered([primary(1), replica(2, { state: { executed: '', replicaPosition: '' } })], known)).to.deep.equal(
      { differing: {} },
    )
    const returns = { db2: { since: 1, attempts: [], filled: true } } as const
    expect(remembered([primary(1), replica(2)], { ...known, returns })).to.deep.equal({ differing: {} })
    const ofPrimary = { ...freshMemory, differing: { db1: { since: 1, error: 'it was so' } } }
    expect(remembered([primary(1), replica(2)], ofPrimary)).to.deep.equal({ differing: {} })
  })
})
