// What is logged of refused requests, and that they cannot fill the log.
import { expect } from 'chai'
import { startTestGateway, type TestGateway } from '../../../support/http/test-gateway.js'
import { eventually } from '../../../support/wait.js'

describe('createRefusalLog', () => {
  let test: TestGateway
  beforeEach(async () => {
    test = await startTestGateway()
  })
  afterEach(() => test.close())
  const refused = () => test.logged.filter(({ code }) => code === 'refused').map(({ fields }) => fields)

  it('logs who was missing which grant for what', async () => {
    const headers = await test.bearer('viewer', 'see-only')
    await test.ask('/api/clusters/c1/actions/switchover', { method: 'POST', headers })
    expect(refused()).to.have.length(1)
    expect(refused()[0]).to.include({ user: 'viewer', address: '127.0.0.1', action: 'switchover', cluster: 'c1' })
    expect(refused()[0]?.why).to.equal('viewer has no grant cluster-switchover or cluster-failover')
  })

  it('logs bad tokens without their text, and no requests that have none', async () => {
    await test.ask('/api/clusters')
    await test.ask('/api/clusters', { headers: { Authorization: 'Bearer mat_guess\u00ff' } })
    expect(refused().map(({ user }) => user)).to.deep.equal([undefined])
    expect(JSON.stringify(test.logged)).to.not.include('guess')
  })

  it('counts what is too much', async () => {
    const bad = () => test.ask('/api/clusters', { headers: { Authorization: 'Bearer mat_x' } })
    await eventually(
      async () => {
        await Promise.all(Array.from({ length: 40 }, bad))
        return refused().some(({ unlogged }) => Number(unlogged) > 0)
      },
      'some are only counted',
      { everyMs: 0 },
    )
    const total = refused().reduce((sum, { unlogged = 0 }) => sum + Number(unlogged), refused().length)
    expect(total % 1).to.equal(0)
    expect(refused().length).to.be.below(total)
  })
})
