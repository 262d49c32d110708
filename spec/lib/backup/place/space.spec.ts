// The estimate of the next backup, and what a file system that is nearly full means for it.
import { expect } from 'chai'
import { estimateBytes, judgeSpace } from '../../../../lib/backup/place/space.js'
import { backupOf } from '../../../support/canned/backup.js'

const limits = { warnPercent: 85, criticalPercent: 95, purgeOldest: true }
const space = (usedPercent: number) => ({ totalBytes: 1_000, freeBytes: 1_000 - usedPercent * 10 })

describe('estimateBytes', () => {
  const made = (startedAt: number, size: number, more = {}) => backupOf({ startedAt, size, ...more })

  it('is half more than the newest valid full one of the kind, in any order of the list', () => {
    const backups = [made(3, 300), made(1, 100), made(2, 200)]
    expect(estimateBytes('logical', backups, 9_999)).to.equal(450)
  })

  it('takes none that failed, that is an increment, or of the other kind', () => {
    const others = [
      made(5, 500, { state: 'failed' }),
      made(6, 600, { strategy: 'incremental' }),
      made(7, 700, { kind: 'physical' }),
    ]
    expect(estimateBytes('logical', [made(1, 101), ...others], 9_999)).to.equal(152)
    expect(estimateBytes('logical', others, 9_999)).to.equal(9_999)
    expect(estimateBytes('logical', [], undefined)).to.equal(0)
  })
})

describe('judgeSpace', () => {
  it('judges the use with the next backup, at every percent', () => {
    for (let used = 0; used <= 100; used += 1)
      for (let next = 0; next <= 100; next += 1) {
        const { state, usedPercent, expectedPercent } = judgeSpace(space(used), limits, next * 10)
        const after = used + next
        const wanted = after >= 95 ? 'critical' : after >= 85 ? 'warning' : 'enough'
        expect(state, `${used} + ${next}`).to.equal(wanted)
        expect(Math.round(usedPercent * 1e6)).to.equal(used * 1e6)
        expect(Math.round(expectedPercent * 1e6)).to.equal(after * 1e6)
      }
  })

  it('names the bytes without which it is not critical any more, and no more', () => {
    for (let used = 0; used <= 100; used += 1) {
      const { missingBytes, state } = judgeSpace(space(used), limits, 100)
      if (state !== 'critical') expect(missingBytes).to.equal(0)
      else {
        const freed = (bytes: number) => ({ totalBytes: 1_000, freeBytes: 1_000 - used * 10 + bytes })
        expect(judgeSpace(freed(missingBytes + 1), limits, 100).state, `${used}`).to.not.equal('critical')
        if (missingBytes > 1) expect(judgeSpace(freed(missingBytes - 1), limits, 100).state).to.equal('critical')
      }
    }
  })

  it('judges nothing with bounds of 0, except a backup that does not fit', () => {
    const none = { ...limits, warnPercent: 0, criticalPercent: 0 }
    expect(judgeSpace(space(99), none, 10).state).to.equal('enough')
    expect(judgeSpace(space(99), none, 11)).to.include({ state: 'critical', missingBytes: 1 })
    expect(judgeSpace({ totalBytes: 0, freeBytes: 0 }, limits, 0).state).to.equal('enough')
  })
})
