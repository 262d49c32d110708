import { expect } from 'chai'
import { noteSoftware, readSoftware, writeSoftware } from '../../../../actors/manager/configuration/software.js'
import { unwrap } from '../../../../lib/base/result.js'
import { newDirectory } from '../../../support/machine/directories.js'

const mysql = { flavour: 'mysql', version: { major: 8, minor: 4, patch: 0 } } as const
const member = { id: 'db1', name: 'db1', host: 'db1', port: 3306, slot: 0 }

describe('the software of servers', () => {
  it('is recorded when a server reports it, and the records stay the same object when nothing is new', () => {
    expect(noteSoftware({}, { servers: [member] })).to.deep.equal({})
    const records = noteSoftware({}, { servers: [{ ...member, software: mysql }] })
    expect(records).to.deep.equal({ 'db1:3306': mysql })
    expect(noteSoftware(records, { servers: [{ ...member, software: mysql }] })).to.equal(records)
    expect(noteSoftware(records, { servers: [member] })).to.equal(records)
  })

  it('survives a restart, and a damaged file is an empty records', async () => {
    const directory = newDirectory('software')
    expect(await readSoftware(directory)).to.deep.equal({})
    unwrap(await writeSoftware(directory, { 'db1:3306': mysql }))
    expect(await readSoftware(directory)).to.deep.equal({ 'db1:3306': mysql })
  })
})
