// Alerts to syslog servers: the form of a message, one counted frame over TCP.
import { type AddressInfo, createServer } from 'node:net'
import { expect } from 'chai'
import type { AlertMessage } from '../../../../lib/model/alert.js'
import { renderSyslog, syslog } from '../../../../lib/notify/channel/syslog.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { next } from '../../../support/wait.js'

const message: AlertMessage = {
  ...{ id: '1', at: Date.UTC(2026, 10, 23, 7, 40), level: 'ALERT', kind: 'alert', clusters: ['shop'] },
  ...{ codes: ['ERR00012', 'a"b]'], title: '[ALERT] shop: no\nprimary', text: 'long' },
}

describe('syslog', () => {
  it('is one line of RFC 5424 with the codes as data', () => {
    expect(renderSyslog(message, 'monitor1')).to.equal(
      `<26>1 2026-11-23T07:40:00.000Z monitor1 manager ${process.pid} ALERT [alert@32473 clusters="shop" codes="ERR00012,a\\"b\\]"] [ALERT] shop: no primary`,
    )
  })

  it('is sent as a counted frame over TCP, and fails when nobody listens', async () => {
    const frames: string[] = []
    const server = createServer((socket) =>
      socket.on('data', (bytes) => frames.push(bytes.toString())).on('end', () => socket.end()),
    )
    server.listen(0, '127.0.0.1')
    await next(server, 'listening', 'the server listens')
    const { port } = server.address() as AddressInfo
    const settings = defaultSettings({ 'alert-syslog': `tcp://127.0.0.1:${port}` })
    expect((await syslog.send(settings, message)).ok).to.equal(true)
    const [, length, text = ''] = /^(\d+) (.*)$/.exec(frames.join('')) ?? []
    expect(Number(length)).to.equal(Buffer.byteLength(text))
    await new Promise((resolve) => server.close(resolve))
    const refused = await syslog.send(settings, message)
    expect(refused.ok ? '' : refused.failure.message).to.match(/ECONNREFUSED/)
  })
})
