// The channel to a hosted service: what it sends, and that its address is in no failure.
import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import type { AlertMessage } from '../../../../lib/model/alert.js'
import { channels } from '../../../../lib/notify/index.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { WebSink } from '../../../support/machine/web-sink.js'

const message: AlertMessage = {
  ...{ id: '1-1', at: 1_795_246_812_000, level: 'ALERTOK', kind: 'alert', clusters: ['shop'], codes: ['Failed'] },
  ...{ title: '[ALERTOK] shop: db1 <is> back', text: 'It answers.' },
}

describe('hosted', () => {
  const web = new WebSink()
  const settings = () =>
    defaultSettings({
      ...{ hosted: true, 'hosted-domain': 'acme', 'hosted-sub-domain': 'paris', 'hosted-sub-domain-zone': 'a' },
      ...{ 'hosted-alert-slack-url': secret(web.url('/private')), 'hosted-alert-slack-channel': '#fleet' },
    })
  before(() => web.open())
  after(() => web.close())

  it('posts title, text and the name of the manager', async () => {
    expect(await channels.hosted.send(settings(), message)).to.deep.include({ ok: true })
    expect(web.bodies('/private')).to.deep.equal([
      {
        text: '*[ALERTOK] shop: db1 &lt;is&gt; back (acme.paris.a)*\n```\nIt answers.\n```',
        channel: '#fleet',
      },
    ])
  })

  it('fails where the service refuses it, without the path of the webhook', async () => {
    web.status = 410
    const sent = await channels.hosted.send(settings(), message)
    expect(sent.ok ? '' : sent.failure.message).to.match(/^127\.0\.0\.1:\d+: it answered 410/)
    expect(JSON.stringify([sent, channels.hosted.shown(settings(), 'alert')])).not.to.include('private')
  })
})
