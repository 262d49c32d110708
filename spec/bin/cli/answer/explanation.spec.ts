// What the command line says of a primary: healthy only where it answered its latest probe.
import { expect } from 'chai'
import { type Explanation, summarise } from '../../../../bin/cli/answer/explanation.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import { cutOff, primary, refused, replica, situation } from '../../../support/simulator/situation.js'

const said = (draft: ReturnType<typeof primary>, replicas: readonly ReturnType<typeof replica>[]) =>
  summarise(judgeFailover(situation([draft, ...replicas])) as unknown as Explanation)
    .map(({ head, text }) => `${head}${text}`)
    .join(' ')

describe('summarise, where nothing takes over', () => {
  const begins = (settings: NonNullable<Parameters<typeof situation>[1]>['settings'], replicaDraft = cutOff) => {
    const verdict = judgeFailover(
      situation([primary(1, {}, { ...refused, failures: 5 }), replica(2, replicaDraft)], { settings: settings ?? {} }),
    )
    return summarise(verdict as unknown as Explanation)
      .slice(0, 2)
      .map(({ head, text }) => `${head}${text}`)
  }

  it('begins with the reason and the next command', () => {
    expect(begins({ 'failover-mode': 'manual' })).to.deep.equal([
      'No failover although db1 is dead: Start the failover manually, or set failover-mode to automatic (failover-mode).',
      'Next: manager-cli failover --plan',
    ])
  })

  it('names the runbook where a failover on request would be refused, too', () => {
    const [reason, next] = begins({ 'failover-mode': 'manual' }, { ...cutOff, sql: 'stopped' })
    expect(reason).to.match(/^No failover although db1 is dead: No server can take over\. .*\(candidate\)\.$/)
    expect(next).to.equal('Next: manager-cli runbook ERR00032')
  })

  it('does not say so while the failover begins', () => {
    expect(begins({})[0]).to.match(/^Would fail over now: yes/)
  })
})

describe('summarise', () => {
  it('says that a primary is healthy where it answers', () => {
    expect(said(primary(), [replica(2)])).to.include('is healthy')
  })

  it('does not say so of a primary that refuses the manager, whatever its replicas show', () => {
    const error = { code: 'sql-rejected', message: 'db1: error 1045: Access denied' }
    for (const witness of [replica(2), replica(2, cutOff)]) {
      const text = said(primary(1, {}, { observation: 'rejected', error }), [witness])
      expect(text).to.include('is not dead')
      expect(text).to.not.include('is healthy')
    }
  })
})
