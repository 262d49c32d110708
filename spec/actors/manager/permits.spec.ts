// Clusters ask the manager whether a user may still have the next step of its work.
import { expect } from 'chai'
import { openPermits, type Permits } from '../../../actors/cluster/services/permits.js'
import { joinLine, MainLine } from '../../../actors/kernel/line.js'
import { answerPermits } from '../../../actors/manager/permits.js'
import type { JudgeAsker } from '../../../actors/protocol/line.js'
import { newDirectory } from '../../support/machine/directories.js'

const asker = { user: 'ann', grants: ['cluster-switchover'] }

describe('openPermits and answerPermits', () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  function open(judge?: JudgeAsker, answerMs?: number) {
    const working = newDirectory('permits')
    const main = new MainLine(working)
    answerPermits(main, () => judge)
    const lines = ['shop', 'lab'].map((name) => joinLine({ name, directory: `${working}/${name}` }, answerMs))
    const [shop, lab] = lines.map(openPermits)
    closing.push(() => main.close(), ...lines.map((line) => () => line.close()))
    return { shop: shop as Permits, lab: lab as Permits, end: () => lines[1]?.close() }
  }

  it('answer each cluster by the permissions in force', async () => {
    const { shop, lab } = open((who, cluster) => (cluster === 'lab' ? `${who.user} is gone` : undefined))
    expect(await Promise.all([shop.ask(asker), lab.ask(asker)])).to.deep.equal([
      { type: 'granted' },
      { type: 'refused', reason: 'ann is gone' },
    ])
  })

  it('ask nobody for work that no user asked for', async () => {
    expect(await open(() => 'nobody may').shop.ask(undefined)).to.deep.equal({ type: 'granted' })
  })

  it('grant nothing without an answer, in bounded time, nor after the end of the actor', async () => {
    const { shop, lab, end } = open(undefined, 1)
    expect(await shop.ask(asker)).to.deep.equal({ type: 'unanswered' })
    end()
    expect(await lab.ask(asker)).to.deep.equal({ type: 'unanswered' })
  })
})
