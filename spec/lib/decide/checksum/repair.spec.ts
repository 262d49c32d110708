// Repairs of single rows: only what did not change meanwhile, and the plan says what is deleted.
import { expect } from 'chai'
import { judgeRows, listedKeys, planRepair } from '../../../../lib/decide/checksum/repair.js'
import type { RowDigest, TableChecksum } from '../../../../lib/model/checksum/checksum.js'

const row = (key: string, digest: string): RowDigest => ({ key: [key], digest })

describe('judgeRows', () => {
  it('writes what is changed or missing, deletes what is extra, and leaves equal rows', () => {
    const primary = [row('1', 'a'), row('2', 'b'), row('3', 'c')]
    const judged = judgeRows({
      before: primary,
      replica: [row('1', 'a'), row('2', 'x'), row('4', 'd')],
      after: primary,
    })
    expect(judged.repairs.map(({ key, present, row: own }) => [key[0], present, own?.digest])).to.deep.equal([
      ['2', true, 'b'],
      ['3', false, 'c'],
      ['4', true, undefined],
    ])
    expect([judged.equal, judged.left]).to.deep.equal([1, 0])
  })

  it('leaves a row alone that changed on the primary between its readings, also one that came or went', () => {
    const judged = judgeRows({
      before: [row('1', 'a'), row('2', 'b')],
      replica: [row('1', 'x'), row('2', 'x'), row('3', 'x')],
      after: [row('1', 'other'), row('3', 'c')],
    })
    expect([judged.repairs.length, judged.left]).to.deep.equal([0, 3])
  })

  it('leaves rows alone that share a key', () => {
    const shared: RowDigest = { key: [null], digest: 'a' }
    expect(judgeRows({ before: [shared, shared], replica: [shared], after: [shared, shared] }).left).to.equal(1)
  })
})

describe('planRepair', () => {
  const found: TableChecksum = {
    ...{ schema: 'shop', table: 'orders', state: 'different', job: 7, startedAt: 1, endedAt: 2, primary: 'db1' },
    ...{ chunks: 2, rows: 10, crc: 1 },
    servers: [{ server: 'db2', name: 'db2', verdict: 'different', chunks: 1, open: 0 }],
    differences: [
      {
        ...{ server: 'db2', chunk: 1, predicate: '`id` <= 5', rowsOnPrimary: 5, rowsOnReplica: 5, rowCount: 2 },
        rows: [
          { kind: 'changed', key: ['1'] },
          { kind: 'extra', key: ['3'] },
        ],
      },
      { ...{ server: 'db3', chunk: 1, predicate: '', rowsOnPrimary: 5, rowsOnReplica: 5 }, rows: [] },
    ],
  }
  const of = { server: 'db2', name: 'db2:3306', primary: 'db1:3306' }

  it('counts what changes, and is another one after another checksum', () => {
    const plan = planRepair(found, of)
    expect(plan.effect).to.include('1 changed, 0 missing, 1 that only db2:3306 has and that are deleted')
    expect([plan.possible, plan.rows]).to.deep.equal([true, 2])
    expect(planRepair({ ...found, job: 8 }, of).id).to.not.equal(plan.id)
    expect(listedKeys(found, 'db2')).to.deep.equal([['1'], ['3']])
  })

  it('is not possible where the table is unfit, or no row is listed', () => {
    expect(planRepair(found, { ...of, unfit: 'it has triggers' }).refusal).to.equal('it has triggers')
    expect(planRepair(found, { ...of, server: 'db3' }).possible).to.equal(false)
  })

  it('says how many parts are not listed as a whole', () => {
    const [first, ...others] = found.differences
    const many = { ...found, differences: [...(first ? [{ ...first, rowCount: 3 }] : []), ...others] }
    expect(planRepair(many, of).effect).to.include('1 parts differ in more rows than are listed')
  })
})
