// Messages on disk until a real HTTP receiver has accepted them: retried, joined, kept over a restart.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Outbox } from '../../../../actors/manager/alerts/outbox.js'
import { secret } from '../../../../lib/base/secret.js'
import { now } from '../../../../lib/base/time.js'
import type { QueuedAlert } from '../../../../lib/model/alert.js'
import { channels } from '../../../../lib/notify/index.js'
import { defaultSettings, type Settings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { WebSink } from '../../../support/machine/web-sink.js'
import { eventually } from '../../../support/wait.js'

const webhookKey = (settings: Settings): string => channels.webhook.receiver(settings, 'alert') ?? ''

describe('Outbox', () => {
  const web = new WebSink()
  let directory: string
  let outbox: Outbox
  let settings: Settings
  let count = 0
  const logged: string[] = []
  const queue = () => readdirSync(path.join(directory, 'alerts', 'queue'))
  const titles = () => web.bodies<{ data: { title: string } }>('/hook').map(({ data }) => data.title)

  const open = async () => {
    outbox = new Outbox({
      ...{ directory, pauseMs: 50, settings: () => settings, onFindings: () => undefined },
      log: (_level, code) => logged.push(code),
    })
    await outbox.open()
  }
  const entry = (title: string, at = now()): QueuedAlert => {
    count += 1
    const id = String(count).padStart(6, '0')
    const message = {
      id,
      at,
      level: 'ALERT',
      kind: 'alert',
      clusters: ['shop'],
      codes: [],
      title,
      text: title,
    } as const
    return { id, channel: 'webhook', cluster: 'shop', message }
  }
  const pumpUntil = (holds: () => boolean) =>
    eventually(() => {
      outbox.pump()
      return holds()
    }, 'what is awaited of the queue')

  beforeEach(async () => {
    directory = newDirectory('outbox')
    logged.length = 0
    web.requests.length = 0
    web.status = 200
    await web.open()
    settings = defaultSettings({ 'alert-webhook-url': secret(web.url('/hook')) })
    await open()
  })
  afterEach(async () => {
    await outbox.close()
    await web.close()
  })

  it('sends in order and leaves nothing on disk', async () => {
    await outbox.add([entry('one'), entry('two')])
    await pumpUntil(() => outbox.waiting() === 0)
    expect(titles()).to.deep.equal(['one', 'two'])
    expect(queue()).to.deep.equal([])
  })

  it('knows of each receiver what waits, what was sent last, and why the latest try failed', async () => {
    const key = webhookKey(settings)
    expect(outbox.deliveries('webhook', key)).to.deep.equal({ waiting: 0 })
    web.status = 500
    await outbox.add([entry('one')])
    await pumpUntil(() => outbox.deliveries('webhook', key).problem !== undefined)
    const failed = outbox.deliveries('webhook', key)
    expect(failed).to.deep.include({ waiting: 1 }).and.have.keys('waiting', 'failedAt', 'problem', 'retryAt')
    web.status = 200
    await pumpUntil(() => outbox.waiting() === 0)
    expect(outbox.deliveries('webhook', key)).to.have.keys('waiting', 'failedAt', 'sentAt')
    expect(outbox.deliveries('webhook', 'elsewhere')).to.deep.equal({ waiting: 0 })
  })

  it('keeps what is refused, reports it as a finding, and sends it when it is accepted', async () => {
    web.status = 500
    await outbox.add([entry('one')])
    await pumpUntil(() => outbox.findings('shop').length > 0)
    const [finding] = outbox.findings('shop')
    expect(finding?.code).to.equal('WARN0370')
    expect(finding?.detail).to.match(/^webhook: 127\.0\.0\.1:\d+: it answered 500 refused by the spec\.$/)
    expect(outbox.findings('lab')).to.deep.equal([])
    expect(queue()).to.have.length(1)
    web.status = 200
    await pumpUntil(() => outbox.waiting() === 0)
    expect([titles().at(-1), outbox.findings('shop'), queue()]).to.deep.equal(['one', [], []])
  })

  it('sends after a restart what waited, more than three messages as one', async () => {
    web.status = 500
    await outbox.add(['one', 'two', 'three', 'four'].map((title) => entry(title)))
    await pumpUntil(() => outbox.findings('shop').length > 0)
    await outbox.close()
    await open()
    await pumpUntil(() => outbox.findings('shop').length > 0)
    web.requests.length = 0
    web.status = 200
    await pumpUntil(() => outbox.waiting() === 0)
    expect(titles().at(-1)).to.match(/4 alerts that could not be sent earlier; the latest: four/)
    expect(queue()).to.deep.equal([])
  })

  it('gives up what is older than a day, and what has no channel any more', async () => {
    await outbox.add([entry('old', now() - 25 * 3_600_000)])
    await pumpUntil(() => outbox.waiting() === 0 && queue().length === 0)
    settings = defaultSettings()
    await outbox.add([entry('lost')])
    expect([titles(), queue()]).to.deep.equal([[], []])
    expect(logged.filter((code) => code === 'alert-given-up')).to.have.length(2)
  })
})
