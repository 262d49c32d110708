import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { packageRoot, sharePath } from '../../../../lib/base/package-root.js'
import { printSettings, settingNames } from '../../../../lib/settings/index.js'

describe('printSettings', () => {
  it('is what share/doc/settings.md holds; npm run docs regenerates it', () => {
    expect(readFileSync(sharePath('doc/settings.md'), 'utf8')).to.equal(printSettings())
  })

  it('has a line for every setting, and shows neither secrets nor the place of this package', () => {
    const text = printSettings()
    for (const name of settingNames) expect(text).to.contain(`| \`${name}\` |`)
    expect(text).not.to.contain(packageRoot).and.not.contain('root:mariadb')
  })
})
