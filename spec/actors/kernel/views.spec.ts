// Published views and flag words, read from the main thread while a real host thread writes them.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { openRig, populate, type Rig } from '../../support/actors/rig.js'
import { eventually } from '../../support/wait.js'

describe('ViewShelf', () => {
  let rig: Rig
  beforeEach(async () => {
    rig = openRig()
    await populate(rig, ['c1', 'c2'])
  })
  afterEach(() => rig.supervisor.stop(500))

  const read = async () => unwrap(await rig.supervisor.view('c1', 'text'))
  const publish = async (text: string) => unwrap(await rig.ref('c1').ask('publish', { text }))
  const rendered = async () => unwrap(await rig.ref('c1').ask('rendered', {}))

  it('renders a view once per change, however many read it', async () => {
    await publish('one')
    const first = await Promise.all(Array.from({ length: 100 }, read))
    await read()
    expect(await rendered()).to.equal(1)
    expect(new Set(first.map(({ etag }) => etag))).to.have.length(1)
    await publish('two')
    const second = await Promise.all(Array.from({ length: 100 }, read))
    expect(await rendered()).to.equal(2)
    expect(second[0]?.bytes.toString()).to.equal('two')
    expect(second[0]?.etag).to.not.equal(first[0]?.etag)
  })

  it('shows a reader every change made before it reads, while other pulls are under way', async () => {
    for (let round = 0; round < 200; round += 1) {
      const early = read()
      await publish(`text ${round}`)
      expect((await read()).bytes.toString()).to.equal(`text ${round}`)
      await early
    }
  })

  it('knows which bytes are current without asking the actor', async () => {
    await publish('one')
    const { etag } = await read()
    expect([rig.supervisor.isCurrent('c1', 'text', etag), await rendered()]).to.deep.equal([true, 1])
    await publish('two')
    expect(rig.supervisor.isCurrent('c1', 'text', etag)).to.equal(false)
    expect(rig.supervisor.isCurrent('c1', 'text', (await read()).etag)).to.equal(true)
    expect(rig.supervisor.isCurrent('unknown', 'text', etag)).to.equal(false)
  })

  it('answers the last bytes with their old time while the actor is down', async () => {
    await publish('before')
    const before = await read()
    rig.supervisor.updateInit('c1', { start: 'hang' })
    await rig.ref('c1').ask('misbehave', { how: 'throw' })
    await eventually(() => rig.crashes.length > 0, 'the end of its life')
    expect(await read()).to.deep.equal(before)
  })

  it('gives the bytes of a later life another etag', async () => {
    await publish('same')
    const before = await read()
    await rig.supervisor.restart('c1')
    await publish('same')
    const after = await read()
    expect(after.bytes).to.deep.equal(before.bytes)
    expect(after.etag).to.not.equal(before.etag)
  })

  it('reads a view for the first time while the actor is restarting', async () => {
    await rig.ref('c1').ask('misbehave', { how: 'throw' })
    expect((await read()).bytes).to.have.length(0)
  })

  it('refuses unknown views and actors', async () => {
    expect(await rig.supervisor.view('c1', 'nothing')).to.have.nested.property('failure.code', 'internal')
    expect(await rig.supervisor.view('c9', 'text')).to.have.nested.property('failure.code', 'unknown-cluster')
  })

  it('reads flags without a message, apart for each actor, until the life that set them is followed by another', async () => {
    unwrap(await rig.ref('c1').ask('flag', { slot: 3, flags: 5 }))
    unwrap(await rig.ref('c2').ask('flag', { slot: 3, flags: 6 }))
    expect([rig.supervisor.flags('c1', 3), rig.supervisor.flags('c2', 3), rig.supervisor.flags('c1', 2)]).to.deep.equal(
      [5, 6, 0],
    )
    expect(rig.supervisor.flags('c9', 3)).to.equal(0)
    expect(rig.supervisor.answerAge('c1', 3)).to.be.at.least(5_000)
    expect([rig.supervisor.answerAge('c1', 2), rig.supervisor.answerAge('c9', 3)]).to.deep.equal([undefined, undefined])
    await rig.ref('c1').ask('misbehave', { how: 'throw' })
    await eventually(() => rig.supervisor.flags('c1', 3) === 0, 'cleared flags')
    expect(rig.supervisor.flags('c2', 3)).to.equal(6)
  })
})
