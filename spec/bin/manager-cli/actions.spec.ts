// What the client asks for, and how it ends.
import { expect } from 'chai'
import { type FailureCode, hintOf } from '../../../lib/base/failures.js'
import { CliWorld } from '../../support/http/cli-world.js'

describe('manager-cli: switchover', () => {
  const world = CliWorld.forSuite()

  it('asks for the server named, ends when it is done, and shows what became of it', async () => {
    const { status, stdout, stderr } = await world.client.run('switchover', '--to', 'db2:3306')
    expect([status, stderr]).to.deep.equal([0, ''])
    expect(stdout).to.match(/^demo {2}master-slave/)
    expect(world.face.calls).to.deep.equal([
      { name: 'switchover', given: { user: 'admin', wait: true, candidate: 'db2' } },
    ])
  })

  it('takes the long name of --to, and leaves the choice to the manager without either', async () => {
    await world.client.run('switchover', '--db-servers-prefered-master', 'db3')
    await world.client.run('switchover')
    expect(world.face.calls.map(({ given }) => given)).to.deep.equal([
      { user: 'admin', wait: true, candidate: 'db3' },
      { user: 'admin', wait: true },
    ])
  })

  it('gives the operation as JSON', async () => {
    const { operation } = await world.client.json<{ operation: { id: string; phase: string } }>('switchover')
    expect(operation).to.deep.include({ phase: 'succeeded' })
  })

  it('shows a plan and changes nothing', async () => {
    world.face.replies.set('plan-switchover', {
      kind: 'switchover',
      possible: true,
      steps: [{ command: { type: 'freeze' }, text: 'freeze db1', expectedMs: 3.4, blocksWrites: true }],
      expectedBlockedMs: 30,
      risks: ['a long write runs'],
    })
    const { status, stdout } = await world.client.run('switchover', '--plan')
    expect(status).to.equal(0)
    expect(stdout)
      .to.match(/1 +3 ms +blocked +freeze db1\n/)
      .and.match(
        /Risk: a long write runs\nUndo: .*\nPlan switchover\/demo\/[0-9a-f.]+: --confirm .*\nNothing was changed\.\n$/,
      )
    expect(world.face.calls.map(({ name }) => name)).to.deep.equal(['plan-switchover'])
  })

  it('ends with 3 when the plan would be refused', async () => {
    world.face.replies.set('plan-switchover', {
      kind: 'switchover',
      possible: false,
      refusal: 'no candidate',
      steps: [],
      risks: [],
    })
    const { status, stdout, stderr } = await world.client.run('switchover', '--plan')
    expect([status, stdout, stderr]).to.deep.equal([3, 'Refused: no candidate\n', ''])
  })

  it('shows a plan that is unchecked with its reason and its id, and ends with 3: it is not possible yet', async () => {
    world.face.replies.set('plan-switchover', {
      kind: 'switchover',
      possible: false,
      unchecked: 'db2 gave no answer in time',
      refusal: 'db2 gave no answer in time',
      steps: [{ text: 'freeze db1', blocksWrites: true }],
      risks: [],
    })
    const { status, stdout } = await world.client.run('switchover', '--plan')
    expect(status).to.equal(3)
    expect(stdout).to.include('freeze db1').and.include('Not checked: db2 gave no answer in time')
    expect(stdout).to.match(/Plan switchover\/demo\/[0-9a-f.]+: --confirm/)
  })

  it('ends with 5 for a server the cluster has not', async () => {
    const { status, stderr } = await world.client.run('switchover', '--to', 'moon')
    expect(status).to.equal(5)
    expect(stderr).to.match(/^--to: moon is not a server of demo\n/)
  })

  it('ends with 8 when it was undone', async () => {
    const operation = { id: 'switchover-1', kind: 'switchover', phase: 'rolled-back', message: 'db2 hung' }
    world.face.replies.set('switchover', { operation })
    const { status, stderr } = await world.client.run('switchover')
    expect(status).to.equal(8)
    expect(stderr).to.match(/^db2 hung\n/)
  })
})

describe('manager-cli: failover', () => {
  const world = CliWorld.forSuite()

  it('asks for it, and shows a plan on request', async () => {
    expect((await world.client.run('failover', '--plan')).status).to.equal(0)
    expect((await world.client.run('failover')).status).to.equal(0)
    expect(world.face.calls.map(({ name }) => name)).to.deep.equal(['plan-failover', 'failover'])
  })

  for (const [code, status] of [
    ['primary-alive', 3],
    ['vetoed', 3],
    ['no-candidate', 3],
    ['operation-running', 6],
    ['deadline-passed', 7],
    ['step-failed', 1],
    ['mailbox-full', 1],
  ] as const satisfies readonly (readonly [FailureCode, number])[])
    it(`ends with ${status} for ${code}, and prints what happened and what to do`, async () => {
      world.face.failure = { code, message: 'because of the spec' }
      const outcome = await world.client.run('failover', '--cluster', 'demo')
      expect(outcome).to.deep.equal({ status, stdout: '', stderr: `because of the spec\n${hintOf(code, 'cli')}\n` })
    })
})

describe('manager-cli: bootstrap', () => {
  const world = CliWorld.forSuite()

  it('asks for the usual topology, or the one named', async () => {
    const { status, stdout } = await world.client.run('bootstrap')
    await world.client.run('bootstrap', '--topology', 'multi-master')
    expect(status).to.equal(0)
    expect(stdout).to.match(/^demo {2}/)
    const asked = world.face.calls.map(({ given }) => (given as readonly [{ topology: string }])[0].topology)
    expect(asked).to.deep.equal(['master-slave', 'multi-master'])
  })
})
