// A replica gets another source on request, where that source could serve it.
import { expect } from 'chai'
import { planRelocate } from '../../../../lib/decide/repair/relocate.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import {
  primary,
  refused,
  replica,
  running,
  type SituationDraft,
  server,
  situation,
} from '../../../support/simulator/situation.js'

const tiers: SituationDraft = { settings: { 'replication-multi-tier-slave': true } }
const servers = [primary(1), replica(2), replica(3)]
/** `db3 db2`: the replica and its new source. */
const plan = (words: string, all: readonly ServerSnapshot[] = servers, draft: SituationDraft = tiers) => {
  const [server = '', source = ''] = words.split(' ')
  return planRelocate(situation(all, draft), { server, source })
}
const codeOf = (...given: Parameters<typeof plan>): string => {
  const made = plan(...given)
  return made.ok ? 'ok' : made.failure.code
}

describe('planRelocate', () => {
  it('checks the login at the new source, then repoints the replica, and back to its old source when that fails', () => {
    const made = plan('db3 db2')
    if (!made.ok) throw new Error(made.failure.message)
    const [check, repoint] = made.value.commands
    expect(check).to.deep.include({ type: 'check-login', server: 'db2' })
    expect(repoint).to.deep.include({ type: 'repoint', server: 'db3', source: 'db2', patient: true })
    expect(made.value.undo[0]).to.deep.include({ type: 'repoint', server: 'db3', source: 'db1' })
  })

  it('leaves the primary, what does not answer, and what follows already', () => {
    expect(codeOf('db1 db2')).to.equal('is-primary')
    expect(codeOf('db3 db2', [primary(1), server(2, refused), replica(3)])).to.equal('sql-silent')
    expect(codeOf('db3 db1')).to.equal('wrong-state')
    expect(codeOf('db3 db3')).to.equal('wrong-state')
    expect(codeOf('db9 db1')).to.equal('unknown-server')
  })

  it('takes no source below the replica itself', () => {
    expect(codeOf('db2 db3', [primary(1), replica(2), replica(3, { source: 2 })])).to.equal('wrong-state')
  })

  it('takes no replica as a source where the manager would move it back', () => {
    const made = plan('db3 db2', servers, {})
    expect(made.ok ? '' : made.failure.message).to.contain('replication-multi-tier-slave')
  })

  it('waits for no operation', () => {
    expect(codeOf('db3 db2', servers, { ...tiers, operation: running() })).to.equal('operation-running')
  })
})
