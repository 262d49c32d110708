// What the command line says of a primary: healthy only where it answered its latest probe.
import { expect } from 'chai'
import { type Explanation, summarise } from '../../../../bin/cli/answer/explanation.js'
import { judgeFailover } from '../../../../lib/decide/failover/failover.js'
import { cutOff, primary, replica, situation } from '../../../support/simulator/situation.js'

const said = (draft: ReturnType<typeof primary>, replicas: readonly ReturnType<typeof replica>[]) =>
  summarise(judgeFailover(situation([draft, ...replicas])) as unknown as Explanation)
    .map(({ head, text }) => `${head}${text}`)
    .join(' ')

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
