// Where alerts of clusters go: one receiver for all that share it.
import { expect } from 'chai'
import { listEscalation, listReceivers } from '../../../../actors/manager/alerts/receivers.js'
import { defaultSettings } from '../../../../lib/settings/index.js'

const mail = { 'mail-to': 'ops@example.com', 'mail-smtp-addr': 'mx:25' } as const
const shop = { cluster: 'shop', settings: defaultSettings(mail) }
const bank = { cluster: 'bank', settings: defaultSettings({ ...mail, 'alert-escalation-time': 600 }) }
const late = {
  cluster: 'late',
  settings: defaultSettings({
    ...mail,
    ...{ 'alert-escalation-time': 600, 'alert-escalation-mail-to': 'boss@example.com' },
  }),
}
const nothing = { cluster: 'lab', settings: defaultSettings({ 'mail-to': '' }) }

describe('listReceivers', () => {
  it('names a receiver once, with the clusters that share it and what became of its messages', () => {
    const asked: string[] = []
    const found = listReceivers([shop, bank, nothing], (channel) => {
      asked.push(channel)
      return { waiting: 2, sentAt: 5 }
    })
    expect(found).to.have.length(1)
    expect(found[0]).to.deep.include({ channel: 'mail', clusters: ['shop', 'bank'], onlyEscalations: false })
    expect(found[0]).to.deep.include({ waiting: 2, sentAt: 5 })
    expect(asked).to.deep.equal(['mail'])
  })

  it('lists who receives escalations alone after the others', () => {
    const found = listReceivers([late], () => ({ waiting: 0 }))
    expect(found.map(({ receiver, onlyEscalations }) => [receiver, onlyEscalations])).to.deep.equal([
      ['ops@example.com by mx:25', false],
      ['boss@example.com by mx:25', true],
    ])
  })
})

describe('listEscalation', () => {
  it('groups clusters by how long their errors wait', () => {
    const [one, two] = listEscalation([bank, late, shop])
    expect(one).to.deep.equal({ afterMs: 600_000, clusters: ['bank', 'late'] })
    expect(two?.clusters).to.deep.equal(['shop'])
  })
})
