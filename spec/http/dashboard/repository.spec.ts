// What the page of the configuration in git makes of replies.
import { expect } from 'chai'
import {
  nextSteps,
  readCommits,
  readRepository,
  shortId,
} from '../../../http/dashboard/src/model/configuration/repository.js'
import { readSettingValues } from '../../../http/dashboard/src/model/configuration/settings.js'

const commit = {
  ...{ id: '3f786850e387550fdab836ed7e6dc881de23001b', author: 'ann', email: 'ann@manager.invalid', at: 5 },
  ...{ subject: 'shop: failover-mode', body: 'why\n' },
}
const standing = {
  state: 'waiting',
  url: 'https://git.example.com/f.git',
  queued: [],
  conflicts: [],
  remarks: ['a.txt'],
}

describe('the repository of the configuration', () => {
  it('has what others changed, by cluster; what is of no cluster is of the manager', () => {
    const changes = [
      { cluster: 'shop', change: 'edit', settings: ['failover-mode'] },
      { cluster: '', change: 'edit', settings: ['log-level'] },
      { cluster: 'x', change: 'rename', settings: [] },
    ]
    const view = readRepository({ ...standing, incoming: { commit, changes } })
    expect(view?.incoming?.changes).to.deep.equal([
      { cluster: 'shop', change: 'edit', settings: ['failover-mode'] },
      { change: 'edit', settings: ['log-level'] },
    ])
    expect(view?.incoming?.commit).to.deep.include({ author: 'ann', body: 'why' })
    expect(view?.remarks).to.deep.equal(['a.txt'])
  })

  it('has nothing of others where none is named', () => {
    expect(readRepository(standing)).not.to.have.any.keys('incoming', 'head', 'problem', 'pushedAt')
    expect(readRepository({ ...standing, incoming: { changes: [] } })).not.to.have.property('incoming')
  })

  it('is none of a reply without a state', () => {
    expect(readRepository(undefined)).to.equal(undefined)
    expect(readRepository({ state: 'elsewhere' })).to.equal(undefined)
  })

  it('asks a person for something in each state but those in which all goes on', () => {
    const quiet = Object.entries(nextSteps).flatMap(([state, step]) => (step === undefined ? [state] : []))
    expect(quiet).to.deep.equal(['starting', 'current'])
  })
})

describe('commits', () => {
  it('keep their order, and a reason only where it says more than the subject', () => {
    const commits = readCommits([commit, { ...commit, id: 'abc', body: commit.subject }, { author: 'x' }])
    expect(commits.map(({ id, body }) => [shortId(id), body])).to.deep.equal([
      ['3f786850e387', 'why'],
      ['abc', undefined],
    ])
    expect(readCommits(undefined)).to.deep.equal([])
  })
})

describe('values of settings', () => {
  it('are found by name, as they are written in a file', () => {
    const values = readSettingValues([{ name: 'test', value: false }, { name: 'a', value: ['x', 'y'] }, {}])
    expect([...values]).to.deep.equal([
      ['test', 'false'],
      ['a', 'x,y'],
    ])
    expect(readSettingValues({ failoverMode: 'manual' }).size).to.equal(0)
  })
})
