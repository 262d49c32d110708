import { createSocket } from 'node:dgram'
import { expect } from 'chai'
import { openSyslog, renderSyslog } from '../../../../actors/manager/outlet/syslog.js'
import { next } from '../../../support/wait.js'

describe('syslog', () => {
  it('renders a line as RFC 5424 describes it, by severity', () => {
    const line = { level: 40, at: Date.UTC(2026, 10, 23, 13, 55, 1, 123), text: 'shop: text' }
    expect(renderSyslog(line, { host: 'manager 1', pid: 7 }).toString()).to.equal(
      '<28>1 2026-11-23T13:55:01.123Z manager-1 manager 7 - - shop: text',
    )
  })

  it('sends each line as one datagram', async () => {
    const receiver = createSocket('udp4')
    receiver.bind(0, '127.0.0.1')
    await next(receiver, 'listening', 'the server listens')
    const syslog = openSyslog({ host: '127.0.0.1', port: receiver.address().port }, () => {})
    syslog.write({ level: 50, at: 0, text: 'failed' })
    const [datagram] = await next(receiver, 'message', 'a message')
    expect(String(datagram)).to.match(/^<27>1 1970-01-01T00:00:00\.000Z \S+ manager \d+ - - failed$/)
    syslog.close()
    receiver.close()
  })
})
