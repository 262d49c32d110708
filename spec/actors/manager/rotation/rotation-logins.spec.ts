// The passwords of a rotation: made, put into the settings, and when they must not be made.
import { expect } from 'chai'
import {
  adoptLogins,
  freshLogins,
  judgeAdopted,
  newPassword,
} from '../../../../actors/manager/rotation/rotation-logins.js'
import { secret } from '../../../../lib/base/secret.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'

const settings = (monitor: string, replication: string) =>
  defaultSettings({ 'db-servers-credential': secret(monitor), 'replication-credential': secret(replication) })

describe('newPassword', () => {
  it('fits a source definition, needs no quotes, and has every kind of character', () => {
    const made = Array.from({ length: 50 }, newPassword)
    for (const text of made) {
      expect(text).to.match(/^[A-Za-z0-9][A-Za-z0-9_-]{30}[A-Za-z0-9]$/)
      expect(text).to.match(/[a-z]/).and.match(/[A-Z]/).and.match(/[0-9]/).and.match(/[-_]/)
    }
    expect(new Set(made)).to.have.property('size', 50)
  })
})

describe('freshLogins', () => {
  it('gives two accounts two passwords, and one account one', () => {
    const two = freshLogins(settings('m:a', 'r:b'))
    expect(two.ok && two.value.monitor.to !== two.value.replication.to).to.equal(true)
    const one = freshLogins(settings('m:a', 'm:a'))
    expect(one.ok && one.value.monitor.to === one.value.replication.to).to.equal(true)
  })

  for (const [monitor, replication] of [
    ['m:a', 'm:b'],
    ['m:a', ''],
  ] as const)
    it(`refuses ${monitor} with ${replication || 'nothing'}`, () => {
      expect(freshLogins(settings(monitor, replication))).to.have.nested.property('failure.code', 'wrong-state')
    })
})

describe('adoptLogins', () => {
  const logins = {
    monitor: { user: 'm', from: 'a', to: 'x' },
    replication: { user: 'r', from: 'b', to: 'y' },
  }
  const wanted = { 'db-servers-credential': 'm:x', 'replication-credential': 'r:y' }

  it('puts the new passwords in place of the old ones, once or again', () => {
    expect(adoptLogins(settings('m:a', 'r:b'), logins)).to.deep.equal({ ok: true, value: wanted })
    expect(adoptLogins(settings('m:x', 'r:y'), logins)).to.deep.equal({ ok: true, value: wanted })
  })

  it('does not change what was changed meanwhile', () => {
    expect(adoptLogins(settings('m:other', 'r:b'), logins)).to.have.nested.property('failure.code', 'unsupported')
  })
})

describe('judgeAdopted', () => {
  const logins = { monitor: { user: 'm', from: 'a', to: 'x' }, replication: { user: 'r', from: 'b', to: 'y' } }

  it('reports when the settings give other passwords than the new ones', () => {
    expect(judgeAdopted(settings('m:x', 'r:y'), logins)).to.have.property('ok', true)
    for (const [monitor, replication, name] of [
      ['m:a', 'r:y', 'db-servers-credential'],
      ['m:x', 'r:other', 'replication-credential'],
    ] as const)
      expect(judgeAdopted(settings(monitor, replication), logins))
        .to.have.nested.property('failure.message')
        .that.contains(name)
  })
})
