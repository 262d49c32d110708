// Which work of a cluster a plan sheet follows, past a manager that was killed.
import { expect } from 'chai'
import type { Action } from '../../../http/dashboard/src/plan/action.js'
import { readerOf, readerSince } from '../../../http/dashboard/src/plan/follow.js'

const action: Action = {
  ...{ title: 'Switch over', row: 'POST /api/clusters/:cluster/actions/switchover', grant: 'cluster-switchover' },
  ...{ kind: 'interrupting', params: { cluster: 'shop' }, command: ['switchover'], follow: 'operation' },
}

const operation = (id: string, fields: object) => ({
  id,
  kind: 'switchover',
  owner: 'manager',
  startedAt: 1,
  ...fields,
})
const asked = { owner: 'ann', result: 'running', interrupted: true }
const entry = ({ id, ...data }: ReturnType<typeof operation>) => ({
  kind: 'operation',
  at: 1,
  until: 2,
  data: { id, ...data },
})

describe('the work that a sheet follows', () => {
  const given = { fetch: globalThis.fetch, location: globalThis.location }
  let shown: readonly object[] = []
  let noted: readonly object[] = []
  before(() => {
    globalThis.fetch = ((path: string) => {
      if (!path.includes('/timeline'))
        return Promise.resolve(Response.json({ servers: {}, rows: [], lastOperation: shown[0] ?? null }))
      return Promise.resolve(Response.json({ entries: noted }))
    }) as typeof fetch
  })
  after(() => {
    globalThis.fetch = given.fetch
  })

  it('is what the next manager finishes or undoes, by the id or by what was begun since', async () => {
    noted = [entry(operation('switchover-1', asked))]
    shown = [operation('switchover-2', { result: 'succeeded', endedAt: 9, continues: 'switchover-1' })]
    expect(await readerOf(action, 'switchover-1')()).to.include({ id: 'switchover-2', ending: 'succeeded' })
    expect(await readerSince(action, ['switchover-0'])()).to.include({ id: 'switchover-2', ending: 'succeeded' })
    shown = [operation('repair-2', { kind: 'repair', result: 'succeeded', endedAt: 9, continues: 'switchover-1' })]
    expect(await readerOf(action, 'switchover-1')()).to.include({ id: 'repair-2', ending: 'undone' })
  })

  it('is not another repair of the manager, nor the rest of what was known before', async () => {
    noted = [entry(operation('switchover-1', asked))]
    shown = [operation('repair-2', { kind: 'repair', result: 'succeeded' })]
    expect(await readerOf(action, 'switchover-1')()).to.include({ id: 'switchover-1', ending: 'interrupted' })
    expect(await readerSince(action, [])()).to.include({ id: 'switchover-1', ending: 'interrupted' })
    shown = [operation('repair-2', { kind: 'repair', result: 'succeeded', continues: 'switchover-1' })]
    expect(await readerSince(action, ['switchover-1'])()).to.equal(undefined)
  })
})
