import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { SECOND, type Timer } from '../../../lib/base/time.js'
import {
  createScriptQueue,
  findingCall,
  proxyCall,
  replicationErrorCall,
  serverCall,
} from '../../../lib/notify/index.js'
import { alarm } from '../../support/machine/alarm.js'
import { newDirectory } from '../../support/machine/directories.js'
import '../../support/run/programs.js'
import { eventually } from '../../support/wait.js'

describe('createScriptQueue', () => {
  const files = async () => {
    const directory = newDirectory('notify')
    const script = path.join(directory, 'script')
    const out = path.join(directory, 'out')
    await writeFile(script, `#!/bin/sh\necho "begun $1"\nsleep "\${2:-0}"\necho "$1" >> ${out}\necho "called $1"\n`, {
      mode: 0o755,
    })
    const lines = async () => (await readFile(out, 'utf8').catch(() => '')).split('\n').filter(Boolean)
    return { script, lines }
  }

  it('runs every script with its arguments and logs what it says', async () => {
    const { script, lines } = await files()
    const log: string[] = []
    const queue = createScriptQueue({ log: (line) => log.push(line), parallel: 1 })
    for (const name of ['a b', '$(x)', 'c']) queue.add({ script, args: [name] })
    await eventually(async () => (await lines()).length === 3, 'all have run')
    await queue.close()
    expect(await lines()).to.deep.equal(['a b', '$(x)', 'c'])
    expect(log).to.include(`${script}: called c`)
  })

  it('drops what does not fit, with a word, instead of making anyone wait', async () => {
    const { script } = await files()
    const log: string[] = []
    const queue = createScriptQueue({ log: (line) => log.push(line), parallel: 1, limit: 2 })
    for (const name of ['1', '2', '3', '4', '5']) queue.add({ script, args: [name, '30'] })
    expect(log).to.have.length(1)
    expect(log[0]).to.match(/too many notifications/)
    await queue.close(0)
  })

  it('ends what runs when it is closed, and starts nothing after', async () => {
    const { script, lines } = await files()
    const started: number[] = []
    const timer: Timer = (ms) => {
      started.push(ms)
      return () => undefined
    }
    const queue = createScriptQueue({ log: () => undefined, parallel: 1, timer })
    for (const name of ['slow', 'next']) queue.add({ script, args: [name, '30'] })
    await queue.close(50)
    queue.add({ script, args: ['late'] })
    expect(await lines()).to.deep.equal([])
    expect(started).to.have.length(1)
  })

  it('logs a script that fails or is not there, and goes on', async () => {
    const { script, lines } = await files()
    const log: string[] = []
    const { timer, ring } = alarm()
    const queue = createScriptQueue({ log: (line) => log.push(line), parallel: 1, timer })
    queue.add({ script: '/nowhere/script', args: [] })
    queue.add({ script, args: ['slow', '30'] })
    queue.add({ script: '', args: [] })
    queue.add({ script, args: ['last'] })
    await eventually(() => log.includes(`${script}: begun slow`), 'the slow one runs')
    expect(ring(30 * SECOND)).to.equal(true)
    await eventually(async () => (await lines()).includes('last'), 'the last has run')
    await queue.close()
    expect(log.filter((line) => line.startsWith('notification failed'))).to.have.length(2)
  })
})

describe('findingCall', () => {
  const settings = { 'monitoring-open-state-script': '/open', 'monitoring-close-state-script': '/close' }
  const finding = { code: 'ERR00012', detail: '' } as const

  it('passes cluster, address and code to the script of opening or closing', () => {
    const address = { host: 'h1', port: 3306 }
    expect(findingCall(settings, { cluster: 'c1', finding, opened: true, address })).to.deep.equal({
      script: '/open',
      args: ['c1', 'h1:3306', 'ERR00012'],
    })
    expect(findingCall(settings, { cluster: 'c1', finding, opened: false })).to.deep.equal({
      script: '/close',
      args: ['c1', '', 'ERR00012'],
    })
  })
})

describe('serverCall', () => {
  it('passes the new state before the old one, in the words of the wire', () => {
    const notice = { cluster: 'c1', host: 'h1', port: 3306, from: 'replica', to: 'primary' } as const
    expect(serverCall('/state', notice)).to.deep.equal({
      script: '/state',
      args: ['c1', 'h1', '3306', 'Master', 'Slave'],
    })
  })
})

describe('replicationErrorCall', () => {
  const notice = { cluster: 'c1', host: 'h1', port: 3306 } as const

  it('passes address, old and new state of a replica that stops', () => {
    for (const [to, text] of [
      ['replica-error', 'SlaveErr'],
      ['relay-error', 'RelayErr'],
    ] as const)
      expect(replicationErrorCall('/broken', { ...notice, from: 'replica', to })).to.deep.equal({
        script: '/broken',
        args: ['h1:3306', 'Slave', text],
      })
  })

  it('passes nothing for other changes, nor of one that had stopped before', () => {
    for (const [from, to] of [
      ['replica', 'replica-late'],
      ['replica-error', 'replica'],
      ['relay-error', 'replica-error'],
    ] as const)
      expect(replicationErrorCall('/broken', { ...notice, from, to })).to.equal(undefined)
  })
})

describe('proxyCall', () => {
  it('adds the state of the primary', () => {
    const notice = {
      cluster: 'c1',
      host: 'lb',
      port: 1999,
      from: 'ProxyRunning',
      to: 'Suspect',
      primary: 'failed',
    } as const
    expect(proxyCall('/proxy', notice).args).to.deep.equal(['c1', 'lb', '1999', 'Suspect', 'ProxyRunning', 'Failed'])
  })
})
