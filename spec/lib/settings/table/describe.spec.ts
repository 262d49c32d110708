// Settings as data for forms: complete, and without a secret.
import { expect } from 'chai'
import { describeSettings } from '../../../../lib/settings/table/describe.js'
import { settingNames, settingRow } from '../../../../lib/settings/table/index.js'

describe('describeSettings', () => {
  const described = describeSettings()

  it('describes every setting once, in a group', () => {
    expect(described.map(({ name }) => name).toSorted()).to.deep.equal([...settingNames].toSorted())
    for (const { group, doc, allowed } of described) expect([group, doc, allowed]).to.not.include('')
  })

  it('says of a secret only whether one is built in', () => {
    for (const { kind, default: text } of described) if (kind === 'secret') expect(text).to.be.oneOf(['', 'set'])
  })

  it('writes a default that the setting reads back', () => {
    for (const { name, kind, default: text } of described) {
      const row = settingRow(name)
      if (kind === 'secret' || row.shown !== undefined) continue
      const read = row.shape.parse(text)
      expect(read.ok && row.shape.plain(read.value), name).to.deep.equal(row.shape.plain(row.default))
    }
  })
})
