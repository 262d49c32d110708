// What clusters of one thread ask the main thread and hear of it, over one channel.
import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { expect } from 'chai'
import { joinLine, type Line, MainLine } from '../../../actors/kernel/line.js'
import { HOUR } from '../../../lib/base/time.js'
import { newDirectory } from '../../support/machine/directories.js'

const asker = { user: 'ann', grants: [] }
const instance = { hostname: 'db-0', port: 3306, datadir: '/data/', startedAt: 1 }

describe('joinLine and MainLine', () => {
  let directory: string
  let main: MainLine
  const joined: Line[] = []
  const join = (name: string, answerMs = HOUR): Line => {
    const line = joinLine({ name, directory: `${directory}/${name}` }, answerMs)
    joined.push(line)
    return line
  }
  /** Resolves when all that was said before has been heard. */
  const heard = async (cluster: string): Promise<void> => {
    const line = join(cluster)
    main.answer('whose', () => ({}))
    await line.ask('whose', { server: 'db1:3306', instance, uptimeSeconds: 1 })
    line.close()
  }

  beforeEach(() => {
    directory = newDirectory('line')
    main = new MainLine(directory)
  })
  afterEach(() => {
    for (const line of joined.splice(0)) line.close()
    main.close()
  })

  it('give each question its own answer, in whatever order they come', async () => {
    const answers = new Map<string, (refusal: string) => void>()
    main.answer('permit', (_, cluster) => {
      const answer = new Promise<string>((resolve) => answers.set(cluster, resolve))
      if (cluster === 'lab') for (const [name, resolve] of [...answers].reverse()) resolve(`not ${name}`)
      return answer.then((refusal) => ({ refusal }))
    })
    const [shop, lab] = [join('shop'), join('lab')]
    expect(await Promise.all([shop.ask('permit', asker), lab.ask('permit', asker)])).to.deep.equal([
      { refusal: 'not shop' },
      { refusal: 'not lab' },
    ])
  })

  it('open one channel for all clusters of the thread, and close it with the last', async () => {
    let ports = 0
    const hook = createHook({
      init: (_, type) => {
        if (type === 'MESSAGEPORT') ports += 1
      },
    }).enable()
    const lines = Array.from({ length: 100 }, (_, index) => join(`c${index}`))
    expect(ports).to.equal(1)
    for (const line of lines) line.close()
    join('shop')
    expect(ports).to.equal(2)
    hook.disable()
  })

  it('bring a notice to the cluster that it names alone, in the context of that one', async () => {
    const owner = new AsyncLocalStorage<string>()
    const got: unknown[] = []
    const hearing = (name: string) =>
      owner.run(name, () => {
        const line = join(name)
        line.hear('revoked', (server) => got.push([name, server, owner.getStore()]))
        return new Promise<void>((resolve) => line.hear('sought', () => resolve()))
      })
    const [, lab] = [hearing('shop'), hearing('lab')]
    main.notify('lab', 'revoked', 'db1:3306')
    main.notify('lab', 'sought', instance)
    await lab
    expect(got).to.deep.equal([['lab', 'db1:3306', 'lab']])
  })

  it('settle a question without an answer at its deadline, and one with an answer leaves no timer', async () => {
    expect(await join('shop', 1).ask('permit', asker)).to.equal(undefined)
    const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
    const before = timers()
    main.answer('permit', () => ({}))
    const asked = join('lab').ask('permit', asker)
    expect(timers()).to.equal(before + 1)
    await asked
    expect(timers()).to.equal(before)
  })

  it('settle what is asked when the life ends, and ask no more', async () => {
    const shop = join('shop')
    const asked = shop.ask('permit', asker)
    shop.close()
    expect(await asked).to.equal(undefined)
    main.answer('permit', () => ({}))
    expect(await shop.ask('permit', asker)).to.equal(undefined)
  })

  it('keep the questions, statements and notices of the next life of a cluster when the earlier one ends late', async () => {
    const said: unknown[] = []
    main.hear('slots', (slots) => said.push(slots.holds))
    const before = join('shop')
    before.say('slots', { wants: [], holds: [1] })
    const after = join('shop')
    const notices: string[] = []
    after.hear('revoked', (server) => notices.push(server))
    const early = after.ask('whose', { server: 'db1:3306', instance, uptimeSeconds: 1 })
    before.say('slots', { wants: [], holds: [] })
    before.close()
    after.say('slots', { wants: [], holds: [2] })
    main.notify('shop', 'revoked', 'db1:3306')
    main.answer('permit', () => ({}))
    expect(await after.ask('permit', asker)).to.deep.equal({})
    await heard('lab')
    expect([said, notices]).to.deep.equal([[[1], [2]], ['db1:3306']])
    after.close()
    expect(await early).to.equal(undefined)
  })

  it('say nothing more once the manager has ended', () => {
    main.close()
    expect(() => main.notify('shop', 'revoked', 'db1:3306')).not.to.throw()
  })
})
