// The page of what the manager changes automatically is complete: every command has a row, every setting exists.
import { expect } from 'chai'
import { defaultLimits } from '../../../lib/effect/index.js'
import { ownChanges } from '../../../lib/model/own-changes.js'
import { findSetting } from '../../../lib/settings/table/index.js'

/** Commands that read, wait or report. */
const reads = new Set(['reprobe', 'check-login', 'check-logs', 'report'])

describe('ownChanges', () => {
  it('names every command that changes something', () => {
    const named = new Set<string>(ownChanges.flatMap(({ commands }) => commands))
    expect(Object.keys(defaultLimits).filter((type) => !named.has(type) && !reads.has(type))).to.deep.equal([])
  })

  it('names only settings that exist', () => {
    const settings = ownChanges.flatMap(({ off }) => off.map(([setting]) => setting))
    expect(settings.filter((name) => findSetting(name) === undefined)).to.deep.equal([])
  })
})
