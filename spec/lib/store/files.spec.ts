import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import {
  clearCookie,
  consumeCookie,
  hasCookie,
  readActorCrashes,
  readFlags,
  recordActorCrash,
  restoreFlags,
  setCookie,
  writeCrashFile,
} from '../../../lib/store/index.js'
import { newDirectory } from '../../support/machine/directories.js'

const crash = (at: number): Crash => ({
  at,
  oldPrimary: 'db1',
  newPrimary: 'db2',
  switchover: false,
  received: {},
  byOrigin: {},
  receivedText: '',
  oldFile: 'bin.000001',
  oldPosition: 4,
  newFile: '',
  newPosition: 0,
  inSync: false,
})

describe('writeCrashFile', () => {
  it('names the file by time and keeps the latest ones, whatever else is there', async () => {
    const directory = newDirectory('crash')
    await writeFile(path.join(directory, 'failover.notes'), '')
    const start = Date.UTC(2026, 10, 21, 7, 40, 12)
    for (const second of [0, 1, 2, 3])
      unwrap(await writeCrashFile({ directory, crash: crash(start + second * 1_000), keep: 2 }))
    expect((await readdir(directory)).sort()).to.deep.equal([
      'failover.20261121074014.json',
      'failover.20261121074015.json',
      'failover.notes',
    ])
    const text = await readFile(path.join(directory, 'failover.20261121074015.json'), 'utf8')
    expect(JSON.parse(text)).to.deep.equal(crash(start + 3_000))
  })

  it('keeps the new one even when configured to keep none', async () => {
    const directory = newDirectory('crash')
    const file = unwrap(await writeCrashFile({ directory, crash: crash(0), keep: 0 }))
    expect(await readdir(directory)).to.deep.equal([path.basename(file)])
  })
})

describe('recordActorCrash', () => {
  it('keeps crashes readable, and passes by lines it cannot read', async () => {
    const directory = newDirectory('actor')
    for (const at of [1, 2, 3]) {
      unwrap(await recordActorCrash(directory, { at, actor: 'c1', message: 'no', stack: 'at x' }))
      await writeFile(path.join(directory, 'actor-crashes.jsonl'), '{"torn', { flag: 'a' })
      await writeFile(path.join(directory, 'actor-crashes.jsonl'), '\n', { flag: 'a' })
    }
    expect((await readActorCrashes(directory, 2)).map(({ at }) => at)).to.deep.equal([2, 3])
  })

  it('begins a new file when the old one is large', async () => {
    const directory = newDirectory('actor')
    for (const at of [1, 2])
      unwrap(await recordActorCrash(directory, { at, actor: 'c1', message: 'x'.repeat(300_000), stack: '' }))
    expect((await readActorCrashes(directory)).map(({ at }) => at)).to.deep.equal([2])
    expect(await readdir(directory)).to.include('actor-crashes.jsonl.old')
  })
})

describe('restoreFlags', () => {
  it('gives a flag the time at which it was set, to the millisecond', async () => {
    const directory = newDirectory('cluster')
    const name = 'db1_3306/@cookie_restart'
    for (let setAt = 1_795_788_430_520; setAt < 1_795_788_430_620; setAt += 1) {
      await restoreFlags(directory, new Map([[name, setAt]]))
      expect(await readFlags(directory)).to.deep.equal(new Map([[name, setAt]]))
    }
  })
})

describe('consumeCookie', () => {
  it('gives a flag to exactly one of many takers', async () => {
    const directory = path.join(newDirectory('cookie'), 'db1')
    unwrap(await setCookie(directory, 'waitstart'))
    expect(await hasCookie(directory, 'waitstart')).to.equal(true)
    const taken = await Promise.all([1, 2, 3, 4].map(() => consumeCookie(directory, 'waitstart')))
    expect(taken.map(unwrap).filter(Boolean)).to.have.length(1)
    expect(await hasCookie(directory, 'waitstart')).to.equal(false)
  })

  it('finds the file users and scripts expect', async () => {
    const directory = newDirectory('cookie')
    unwrap(await setCookie(directory, 'restart'))
    expect(await readdir(directory)).to.deep.equal(['@cookie_restart'])
    unwrap(await clearCookie(directory, 'restart'))
    unwrap(await clearCookie(directory, 'restart'))
    expect(await readdir(directory)).to.deep.equal([])
  })
})
