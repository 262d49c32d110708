// Messages of commits: who, what, why, and nothing that breaks the format of git.
import { expect } from 'chai'
import { authorOf, MANAGER, type NamedChange, nameChange, renderMessage } from '../../../../lib/git/content/message.js'

const change = (user: string, text: string): NamedChange => ({ at: 0, user, text })

describe('renderMessage', () => {
  it('has the change as its subject, and a line with time and user', () => {
    expect(renderMessage([change('ann', 'shop: failover-mode from manual to automatic')], ['shop/shop.toml'])).to.equal(
      'shop: failover-mode from manual to automatic\n\n1970-01-01T00:00:00.000Z ann: shop: failover-mode from manual to automatic',
    )
  })

  it('names the file where nobody is known', () => {
    expect(renderMessage([], ['shop/shop.toml'])).to.equal('Configuration: shop/shop.toml')
    expect(renderMessage([], ['a', 'b'])).to.equal('Configuration: 2 files')
  })

  it('names the others who changed something, and notes', () => {
    const text = renderMessage([change('bob', 'one'), change('ann', 'two')], ['x'], ['Kept: shop: a'])
    expect(text).to.match(/^2 changes: one, …\n/)
    expect(text).to.include('\n\nKept: shop: a\n\nCo-authored-by: bob <bob@manager.invalid>')
  })

  it('keeps a subject of one line and of bounded length', () => {
    const [subject = ''] = renderMessage([change('ann', `a\nb${'x'.repeat(500)}`)], []).split('\n')
    expect(subject).to.have.length(72)
  })
})

describe('authorOf', () => {
  it('is the user of the latest change, without signs that git gives a meaning', () => {
    expect(authorOf([change('bob', ''), change('ann@example.com', '')])).to.deep.equal({
      ...{ name: 'ann@example.com', email: 'ann@example.com' },
    })
    expect(authorOf([change('a <b>\n', '')])).to.deep.equal({ name: 'a  b', email: 'a--b@manager.invalid' })
    expect(authorOf([])).to.equal(MANAGER)
  })
})

describe('nameChange', () => {
  it('says what an undo undoes', () => {
    const at = (value: number) => ({ value, origin: 'saved' })
    const record = { id: 4, at: 7, user: 'ann', cluster: '', name: 'failover-limit', before: at(3), after: at(5) }
    expect(nameChange({ ...record, action: 'undo', undoes: 2 }).text).to.equal(
      'server: failover-limit from 3 to 5, undoing change 2',
    )
  })
})
