// The memory plan holds for every memory, core count and split: nothing zero, nothing over the memory.
import { expect } from 'chai'
import fc from 'fast-check'
import { unwrap } from '../../../../lib/base/result.js'
import {
  type MemoryPlan,
  optionsOf,
  type Resources,
  readConfigureSettings,
  type Subject,
  selectRules,
  solveMemory,
} from '../../../../lib/configure/index.js'
import { mariadb, shippedRules } from '../../../support/configuration/rules.js'

const defaults: Resources = unwrap(readConfigureSettings({})).resources

const shares = (...names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.integer({ min: 0, max: 100 })])))

const anyResources: fc.Arbitrary<Resources> = fc
  .record({
    memoryMb: fc.oneof(fc.integer({ min: 64, max: 512 }), fc.integer({ min: 64, max: 1024 * 1024 })),
    cores: fc.integer({ min: 1, max: 512 }),
    maxConnections: fc.integer({ min: 1, max: 100_000 }),
    sharedPct: shares('threads', 'innodb', 'myisam', 'aria', 'rocksdb', 'tokudb', 's3', 'archive', 'querycache'),
    threadedPct: shares('tmp', 'join', 'sort'),
  })
  .map((some) => ({ ...defaults, ...some }))

const holds = (property: (plan: MemoryPlan, resources: Resources) => void) =>
  fc.assert(
    fc.property(anyResources, (resources) => {
      property(solveMemory(resources), resources)
    }),
  )

/** Memory that a server allocates once. */
const cacheNames = [
  ...['innodb_buffer_pool_size', 'innodb_log_buffer_size', 'key_buffer_size', 'aria_pagecache_buffer_size'],
  ...['rocksdb_block_cache_size', 'tokudb_cache_size', 's3_pagecache_buffer_size'],
]

const units: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

function bytesOf(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+)([KMG]?)$/.exec(text) ?? []
  return Number(digits) * (units[unit] ?? 1)
}

const subjectWith = (tags: readonly string[], memoryMb: number): Subject => ({
  ...{ tags, software: mariadb, cluster: 'demo', context: { kind: 'container' } },
  resources: { ...defaults, memoryMb },
  server: { id: 'db4711081512345678', host: '127.0.0.1', port: 3306 },
})

describe('solveMemory', () => {
  it('keeps the sum of all sizes within the memory', () => {
    holds(({ sumKb }, { memoryMb }) => expect(sumKb).to.be.at.most(memoryMb * 1024))
  })

  it('writes no size of zero, except for the query cache', () => {
    holds(({ figures }) => {
      for (const [name, { kb }] of Object.entries(figures)) if (name !== 'queryCache') expect(kb, name).to.be.above(0)
    })
  })

  it('gives whole sizes that a server accepts', () => {
    holds(({ figures, workingConnections }) => {
      expect(Object.values(figures).every(({ kb }) => Number.isSafeInteger(kb))).to.equal(true)
      expect(figures.innodbBufferPool.kb).to.be.at.least(5 * 1024)
      expect(figures.innodbLogBuffer.kb).to.be.within(1024, 16 * 1024)
      expect(figures.sortBuffer.kb).to.be.within(32, 4096)
      expect(workingConnections).to.be.at.least(1)
    })
  })

  it('gives a buffer pool no less for more memory by more than a chunk', () => {
    holds(({ figures }, resources) => {
      const more = solveMemory({ ...resources, memoryMb: resources.memoryMb + 512 })
      expect(more.figures.innodbBufferPool.kb).to.be.at.least(figures.innodbBufferPool.kb - 128 * 1024)
    })
  })

  it('gives the reason of each figure', () => {
    holds(({ figures }) => expect(Object.values(figures).every(({ why }) => why.length > 10)).to.equal(true))
  })

  it('holds as the options of a server for every combination of engines at every power of two from 64 MB to 1 TB', () => {
    const rules = shippedRules()
    const engines = rules.rules.filter(({ category, always }) => category === 'engine' && !always).map(({ tag }) => tag)
    const sized = engines.filter((tag) => ['innodb', 'myrocks', 'tokudb', 's3', 'archive', 'spider'].includes(tag))
    for (let memoryMb = 64; memoryMb <= 1024 * 1024; memoryMb *= 2)
      for (let choice = 0; choice < 2 ** sized.length; choice += 1) {
        const tags = sized.filter((_, index) => (choice >> index) & 1)
        const subject = subjectWith(tags, memoryMb)
        const options = optionsOf(selectRules(rules, tags, mariadb).rules, subject)
        const caches = cacheNames.flatMap((name) => (options.has(name) ? [[name, options.get(name) ?? '']] : []))
        for (const [name, text = ''] of caches) expect(bytesOf(text), `${memoryMb} MB ${tags} ${name}`).to.be.above(0)
        const sum = caches.reduce((total, [, text = '']) => total + bytesOf(text), 0)
        expect(sum, `${memoryMb} MB with ${tags}`).to.be.at.most(memoryMb * 1024 * 1024)
      }
  })

  for (const [memoryMb, poolMb] of [
    [128, 52],
    [256, 104],
    [1024, 416],
    [16_384, 8576],
    [262_144, 156_032],
  ] as const)
    it(`gives InnoDB ${poolMb} MB of ${memoryMb} MB`, () => {
      expect(solveMemory({ ...defaults, memoryMb }).figures.innodbBufferPool.kb / 1024).to.equal(poolMb)
    })
})
