// Settings as the configurator reads them: typed or as text, under both spellings.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { readConfigureSettings } from '../../../../lib/configure/index.js'

describe('readConfigureSettings', () => {
  it('gives the contract its defaults', () => {
    const { tags, resources } = unwrap(readConfigureSettings({}))
    expect(tags.join()).to.equal(
      'semisync,row,innodb,noquerycache,threadpool,slow,pfs,docker,linux,readonly,diskmonitor,sqlerror,compressbinlog',
    )
    expect(resources).to.deep.include({ memoryMb: 256, diskGb: 20, iops: 300, cores: 1, maxConnections: 1000 })
  })

  it('reads texts and typed values alike', () => {
    const text = {
      'prov-db-tags': 'row, innodb',
      'prov-db-memory': '512',
      'prov-db-memory-threaded-pct': 'tmp:50,join:50',
    }
    const typed = {
      'prov-db-tags': ['row', 'innodb'],
      'prov-db-memory': 512,
      'prov-db-memory-threaded-pct': { tmp: 50, join: 50 },
    }
    expect(readConfigureSettings(text)).to.deep.equal(readConfigureSettings(typed))
  })

  it('reads the older spellings', () => {
    const { resources } = unwrap(
      readConfigureSettings({ 'prov-db-cpu-cores': 4, 'prov-db-disk-size': 7, 'prov-db-disk-iops': 9 }),
    )
    expect(resources).to.deep.include({ cores: 4, diskGb: 7, iops: 9 })
  })

  it('takes an empty list of tags as none', () => {
    expect(unwrap(readConfigureSettings({ 'prov-db-tags': '' })).tags).to.deep.equal([])
  })

  it('names every setting it cannot read', () => {
    const read = readConfigureSettings({ 'prov-db-memory': 'much', 'prov-db-cores': 0 })
    expect(read.ok ? '' : read.failure.message).to.match(/prov-db-memory: .*; prov-db-cores: /)
  })
})
