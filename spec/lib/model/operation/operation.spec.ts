import { expect } from 'chai'
import { blockedMs, type OperationStep } from '../../../../lib/model/operation/operation.js'

const step = (
  command: OperationStep['command'],
  [startedAt, tookMs]: readonly [number, number],
  state: OperationStep['state'] = 'done',
): OperationStep => ({ command, state, startedAt, tookMs })

describe('blockedMs', () => {
  const freeze = step({ type: 'freeze', server: 'db1' }, [1_000, 12])
  const catchUp = step({ type: 'catch-up', server: 'db2', source: 'db1' }, [1_012, 20])
  const open = step({ type: 'make-writable', server: 'db2' }, [1_040, 2])

  it('is from the beginning of the freeze to the end of the opening', () => {
    expect(blockedMs({ steps: [freeze, catchUp, open], newPrimary: 'db2' })).to.equal(42)
  })

  it('is not known where nothing was frozen, or another server was opened', () => {
    expect(blockedMs({ steps: [catchUp, open], newPrimary: 'db2' })).to.equal(undefined)
    expect(blockedMs({ steps: [freeze, open], newPrimary: 'db3' })).to.equal(undefined)
    const failed = { ...open, state: 'failed' } as const
    expect(blockedMs({ steps: [freeze, failed], newPrimary: 'db2' })).to.equal(undefined)
  })
})
