import { expect } from 'chai'
import { grants } from '../../../../lib/access/grants.js'
import { findSetting, settingGroups, settingNames, settingRow } from '../../../../lib/settings/table/index.js'
import { settingJsonKeys } from '../../../../lib/settings/table/json-key.js'

describe('settingsTable', () => {
  for (const [group, rows] of Object.entries(settingGroups)) {
    it(`holds at most 25 rows in ${group}`, () => {
      expect(Object.keys(rows).length).to.be.within(1, 25)
    })
  }

  it('gives every default in a form that its shape reads back', () => {
    for (const name of settingNames) {
      const { shape, default: value } = settingRow(name)
      const read = shape.parse(shape.plain(value))
      expect(read.ok, name).to.equal(true)
      if (read.ok) expect(shape.plain(read.value), name).to.equal(shape.plain(value))
    }
  })

  it('uses no name, old name or JSON key twice', () => {
    const spellings = settingNames.flatMap((name) => [name, ...settingRow(name).was.map((was) => was.toLowerCase())])
    const keys = settingNames.flatMap(settingJsonKeys)
    expect(new Set(spellings).size).to.equal(spellings.length)
    expect(new Set(keys).size).to.equal(keys.length)
  })

  it('asks for grants that exist and says what each setting does', () => {
    for (const name of settingNames) {
      const { grant, doc } = settingRow(name)
      expect(grants, name).to.include(grant)
      expect(doc, name).to.match(/^[\dA-Za-z/].*[.]$/)
      expect(name).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    }
  })

  it('keeps every password, secret and token a secret', () => {
    const revealing = settingNames.filter((name) => /(password|-pass|secret|token|credential)$/.test(name))
    expect(revealing.filter((name) => !settingRow(name).secret)).to.deep.equal([])
  })
})

describe('findSetting', () => {
  for (const [spelling, name] of [
    ['failover-mode', 'failover-mode'],
    ['Failover-Mode', 'failover-mode'],
    ['interactive', 'failover-mode'],
    ['prov-db-cpu-cores', 'prov-db-cores'],
    ['prov-db-disk-size', 'prov-db-disk'],
    ['prov-db-disk-iops', 'prov-db-iops'],
    ['force-slave-Heartbeat', 'force-slave-heartbeat'],
    ['force-slave-gtid', 'force-slave-gtid-mode'],
    ['force-binlog-slow-queries', 'force-binlog-slowqueries'],
    ['replication-no-relay', 'replication-master-slave-never-relay'],
    ['failover-reset-time', 'failcount-reset-time'],
    ['toString', undefined],
  ] as const)
    it(`finds ${name} by ${spelling}`, () => {
      expect(findSetting(spelling)).to.equal(name)
    })
})
