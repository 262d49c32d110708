// Real servers read what is generated: the default tags at several sizes, and every tag on top of them.
import { expect } from 'chai'
import type { Software } from '../../../lib/configure/index.js'
import { readBack, softwareOf, twoAtATime } from '../../support/configuration/generated.js'
import { engineIfAny } from '../../support/configuration/known-options.js'
import { shippedRules } from '../../support/configuration/rules.js'
import type { Engine } from '../../support/databases/engine.js'
import { isSoak, sample } from '../../support/run/soak.js'

const defaultTags =
  'semisync,row,innodb,noquerycache,threadpool,slow,pfs,docker,linux,readonly,diskmonitor,sqlerror,compressbinlog'
const tags = shippedRules()
  .rules.filter(({ always }) => !always)
  .map(({ tag }) => tag)

/** Memory and the buffer pool that follows from it, MB. */
const sizes = [
  [128, 52],
  [256, 104],
  [1024, 416],
  [16_384, 8576],
  [262_144, 156_032],
] as const

/** A server of this size takes many seconds to show its variables: each commit tries it on the installed server alone. */
const GREATEST_MB = 262_144

for (const name of ['mariadb', 'mariadb-11.8', 'mysql-9'] as const)
  describe(`the shipped rules on ${name}`, function () {
    this.timeout(900_000)
    let engine: Engine
    let software: Software

    before(async function () {
      const found = await engineIfAny(name)
      if (found === undefined) return this.skip()
      engine = found
      software = await softwareOf(engine)
    })

    for (const [memory, pool] of sizes.filter(([size]) => isSoak || name === 'mariadb' || size < GREATEST_MB))
      it(`are accepted at ${memory} MB, with a buffer pool of ${pool} MB`, async () => {
        const variables = await readBack(engine, { software, settings: { 'prov-db-memory': memory } })
        expect(variables.get('innodb-buffer-pool-size')).to.equal(`${pool * 1024 * 1024}`)
      })

    it('are accepted with every tag', async () => {
      // Each commit tries the installed server with all of them, the others with some.
      const tried = name === 'mariadb' ? tags : sample(tags, 12)
      const refused = await twoAtATime(tried, async (tag) => {
        const settings = { 'prov-db-tags': `${defaultTags},${tag}` }
        return readBack(engine, { software, settings }).then(
          () => [],
          (error: Error) => [`${tag}: ${error.message}`],
        )
      })
      expect(refused.flat()).to.deep.equal([])
    })

    it('are merged where tags set single switches', async () => {
      const settings = { 'prov-db-tags': 'nomrr,noicp,noderivedmerge' }
      const switches = (await readBack(engine, { software, settings })).get('optimizer-switch')
      for (const each of ['mrr=off', 'index_condition_pushdown=off', 'derived_merge=off'])
        expect(switches).to.include(each)
    })

    it('are read in the order of their numbers, custom.d last', async () => {
      const settings = { 'prov-db-tags': 'slow,nologslowqueries' }
      const variables = await readBack(engine, { software, settings })
      expect([variables.get('slow-query-log'), variables.get('long-query-time')]).to.deep.equal(['FALSE', '2'])
      const overlays = { '02_delta': '[mysqld]\nlong_query_time = 7\n' }
      expect((await readBack(engine, { software, settings, overlays })).get('long-query-time')).to.equal('7')
    })
  })
