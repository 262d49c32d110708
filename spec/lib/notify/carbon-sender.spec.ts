// Lines to a real TCP endpoint: there, gone, back again, elsewhere; and what waits is bounded.
import { expect } from 'chai'
import type { Timer } from '../../../lib/base/time.js'
import { type CarbonSender, openCarbonSender } from '../../../lib/notify/index.js'
import { CarbonSink } from '../../support/machine/carbon-sink.js'
import { eventually } from '../../support/wait.js'

describe('openCarbonSender', () => {
  let sink: CarbonSink
  let sender: CarbonSender
  const logged: { text: string; fields: Readonly<Record<string, unknown>> }[] = []

  let endPause: (() => void) | undefined
  const timer: Timer = (_ms, end) => {
    endPause = end
    return () => undefined
  }
  const failed = () => eventually(() => endPause, 'a pause after a failure')
  const goOn = () => {
    const end = endPause
    endPause = undefined
    end?.()
  }

  const open = (limitBytes?: number) => {
    const address = { host: '127.0.0.1', port: sink.port }
    sender = openCarbonSender({
      ...{ address, timer, log: (text, fields) => logged.push({ text, fields }) },
      ...(limitBytes === undefined ? {} : { limitBytes }),
    })
  }
  beforeEach(async () => {
    logged.length = 0
    endPause = undefined
    sink = new CarbonSink()
    await sink.open()
  })
  afterEach(async () => {
    sender.close()
    await sink.close()
  })

  it('sends batches in order over one connection', async () => {
    open()
    for (const at of [1, 2, 3]) sender.send(`a ${at} 0\nb ${at} 0\n`)
    await sink.has('b 3')
    expect(sink.lines).to.deep.equal(['a 1 0', 'b 1 0', 'a 2 0', 'b 2 0', 'a 3 0', 'b 3 0'])
    expect([sender.waiting(), logged.length]).to.deep.equal([0, 0])
  })

  it('keeps lines while the endpoint is down, reports it once, and sends them when it is back', async () => {
    await sink.close()
    open()
    sender.send('a 1 0\n')
    sender.send('a 2 0\n')
    await failed()
    goOn()
    await failed()
    expect(logged.map(({ text }) => text)).to.deep.equal(['carbon-failed'])
    await sink.open()
    goOn()
    await sink.has('a 2')
    expect(sink.lines).to.deep.equal(['a 1 0', 'a 2 0'])
    expect(logged.map(({ text }) => text)).to.deep.equal(['carbon-failed', 'carbon-takes-lines'])
  })

  it('goes on after an endpoint that went away, and was back, while nothing waited', async () => {
    open()
    sender.send('a 1 0\n')
    await sink.has('a 1')
    await sink.close()
    await failed()
    goOn()
    await sink.open()
    sender.send('a 2 0\n')
    await sink.has('a 2')
    expect(sink.lines).to.deep.equal(['a 1 0', 'a 2 0'])
  })

  it('drops the oldest batches beyond its bound', async () => {
    await sink.close()
    open(30)
    for (let at = 10; at < 20; at++) sender.send(`line ${at} 0\n`)
    expect(sender.waiting()).to.be.at.most(30)
    await failed()
    await sink.open()
    goOn()
    await sink.has('line 19')
    expect(sink.lines.length).to.be.at.most(3)
  })

  it('goes on at another endpoint when it is moved', async () => {
    open()
    sender.send('a 1 0\n')
    await sink.has('a 1')
    const other = new CarbonSink()
    await other.open()
    sender.move({ host: '127.0.0.1', port: other.port })
    sender.send('a 2 0\n')
    await other.has('a 2')
    expect(sink.lines).to.deep.equal(['a 1 0'])
    sender.close()
    await other.close()
  })
})
