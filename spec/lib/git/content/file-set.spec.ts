// Which paths of a repository belong to the manager.
import { expect } from 'chai'
import { givenPath, kindOf, savedPath } from '../../../../lib/git/content/file-set.js'

describe('kindOf', () => {
  it('reads back what the paths are made of', () => {
    for (const instance of ['', 'host1'])
      for (const scope of ['', 'shop'])
        expect(kindOf(savedPath(scope, instance), instance)).to.deep.equal({ kind: 'saved', scope })
    expect(kindOf(givenPath('shop'))).to.deep.equal({ kind: 'given', scope: 'shop' })
    expect(kindOf('hosted.toml')).to.deep.equal({ kind: 'fleet' })
  })

  it('leaves everything else to people', () => {
    for (const path of [
      'README.md',
      'shop/notes.md',
      'a/b/b.toml',
      '.git/.git.toml',
      '../..toml',
      'actions/actions.toml',
    ])
      expect(kindOf(path).kind, path).to.equal('foreign')
  })
})
