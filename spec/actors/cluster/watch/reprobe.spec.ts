// What a switchover has to know of its two servers is read before it decides, however often a slow probe fails.
import { expect } from 'chai'
import { readUnread } from '../../../../actors/cluster/watch/reprobe.js'
import { nothingNamed } from '../../../../lib/model/server/named.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { primary, server, situation } from '../../../support/simulator/situation.js'

const read = (known: ServerSnapshot): ServerSnapshot => ({
  ...known,
  slow: {
    ...{ server: known.id, at: 0, tookMs: 0, status: nothingNamed, variables: nothingNamed, plugins: [] },
    ...{
      binlogFile: '',
      binlogPosition: 0,
      binlogDoDb: '',
      binlogIgnoreDb: '',
      dumpThreads: 0,
      statementHistory: false,
    },
    binlogs: { count: 0, oldest: '', files: [] },
  },
})

/** A cluster whose unread server `db2` is read by the n-th slow probe. */
function clusterRead(nth: number, unread: ServerSnapshot) {
  let probes = 0
  let servers = [read(primary(1)), unread]
  return {
    probes: () => probes,
    actor: {
      get state() {
        return { snapshot: { ...situation([]).snapshot, servers } }
      },
      watch: {
        probedSlowly: async () => {
          probes += 1
          if (probes === nth) servers = [read(primary(1)), read(unread)]
        },
      },
    },
  }
}

describe('readUnread', () => {
  it('asks nothing of servers that are read', async () => {
    const { actor, probes } = clusterRead(1, read(server(2)))
    expect(await readUnread(actor, ['db1', 'db2', undefined])).to.equal(undefined)
    expect(probes()).to.equal(0)
  })

  it('asks a server that answers again when a slow probe of it failed', async () => {
    const { actor, probes } = clusterRead(3, server(2))
    expect(await readUnread(actor, ['db1', 'db2'])).to.equal(undefined)
    expect(probes()).to.equal(3)
  })

  it('names a server that refuses connections, without waiting for it', async () => {
    const { actor } = clusterRead(Number.POSITIVE_INFINITY, server(2, { observation: 'refused' }))
    expect(await readUnread(actor, ['db1', 'db2'])).to.equal('db2')
  })
})
