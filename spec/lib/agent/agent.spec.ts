// The agent against a manager of this spec: what a repeated answer confirms.
import { createPrivateKey } from 'node:crypto'
import net from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { type Agent, startAgent } from '../../../lib/agent/agent.js'
import { makeKeys, readKeys, signStatement } from '../../../lib/agent/statement.js'
import { unwrap } from '../../../lib/base/result.js'
import { newDirectory } from '../../support/machine/directories.js'
import { freePorts } from '../../support/machine/ports.js'
import { eventually } from '../../support/wait.js'

describe('startAgent', () => {
  const keys = makeKeys()
  const key = createPrivateKey(keys.privateKey)
  const lines: string[] = []
  /** What the manager answers: to the question, or what it answered first. */
  let repeats = false
  let manager: net.Server
  let agent: Agent | undefined
  const texts: string[] = []

  before(async () => {
    manager = net.createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes) => {
        const [, cluster = '', nonce = ''] = String(bytes).trim().split(' ')
        const primary = { id: 'db1', name: 'db1', host: '127.0.0.1', port: 1 }
        const statement = { cluster, nonce, primary, writable: true, probedMs: 0, validMs: 60_000 }
        lines.push(signStatement(statement, key))
        socket.end(`${repeats ? lines[0] : lines.at(-1)}\n`)
      })
    })
    await new Promise<void>((resolve) => manager.listen(0, '127.0.0.1', resolve))
    const [closed = 0] = await freePorts(1)
    agent = unwrap(
      await startAgent({
        ...{ cluster: 'shop', server: 'db1', isolated: 'keep', validMs: 200, intervalMs: 20 },
        managers: [{ host: '127.0.0.1', port: (manager.address() as net.AddressInfo).port }],
        keys: unwrap(readKeys(keys.publicKey)),
        listen: { host: '127.0.0.1', port: 0 },
        database: { host: '127.0.0.1', port: closed, user: 'agent', password: '' },
        stateFile: path.join(newDirectory('agent'), 'state.json'),
        log: (text) => texts.push(text),
      }),
    )
  })
  after(async () => {
    await agent?.close()
    manager.close()
  })

  const isRenewed = async (): Promise<boolean> => {
    const reply = await fetch(`http://127.0.0.1:${agent?.port}/health`)
    return ((await reply.json()) as { renewed: boolean }).renewed
  }

  it('is confirmed by an answer to its question, and by no repeated one', async () => {
    await eventually(isRenewed, 'it is confirmed')
    repeats = true
    const isRefused = () => texts.some((text) => text.endsWith('the statement answers another question'))
    await eventually(isRefused, 'a repeated answer is refused')
    await eventually(async () => !(await isRenewed()), 'it is not')
    repeats = false
    await eventually(isRenewed, 'it is confirmed again')
  })

  it('asks with another nonce each time', () => {
    expect(new Set(lines).size).to.equal(lines.length)
  })
})
