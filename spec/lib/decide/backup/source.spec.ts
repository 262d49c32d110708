// Which server a backup is taken from.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { chooseSource, type SourceQuestion } from '../../../../lib/decide/backup/source.js'
import type { Snapshot } from '../../../../lib/model/snapshot.js'
import { defaultSettings } from '../../../../lib/settings/table/settings.js'
import { channel, serverState, viewInput } from '../../../support/http/view-input.js'

/** db1 is the primary; db2 and db3 follow it. */
const { snapshot } = viewInput()

type Changes = Readonly<Record<string, Partial<Snapshot['servers'][number]>>>

const changed = (changes: Changes): Snapshot => ({
  ...snapshot,
  servers: snapshot.servers.map((server) => ({ ...server, ...changes[server.name] })),
})

const ask = (changes: Changes = {}, more: Partial<SourceQuestion> = {}) =>
  chooseSource({ snapshot: changed(changes), settings: defaultSettings(), kind: 'logical', ...more })

const behind = (lagSeconds: number) => ({ state: serverState({ channels: [channel({ lagSeconds })] }) })
const names = (changes: Changes = {}, more: Partial<SourceQuestion> = {}) =>
  unwrap(ask(changes, more)).rows.map(({ name }) => name)

describe('chooseSource', () => {
  const [primary = '', ...replicas] = snapshot.servers.map(({ name }) => name)
  const [first = '', second = ''] = replicas

  it('prefers the replica that is least behind, and takes the primary last', () => {
    expect(names({ [first]: behind(9), [second]: behind(1) })).to.deep.equal([second, first, primary])
  })

  it('takes first whom the setting names, be it the primary', () => {
    const host = snapshot.servers.find(({ name }) => name === primary)
    const settings = defaultSettings({ 'db-servers-backup-hosts': [`${host?.host}:${host?.port}`] })
    expect(names({}, { settings })[0]).to.equal(primary)
  })

  it('prefers a server that is not elected anyway, and leaves the only candidate alone', () => {
    const changes = { [first]: { ...behind(0), rating: 'ignored' }, [second]: behind(0) } as const
    const { rows } = unwrap(ask(changes))
    expect(rows[0]).to.include({ name: first })
    expect(rows[1]).to.include({ name: second, reason: 'is the only candidate of a failover, 0 s behind' })
  })

  it('never takes one in maintenance, with broken replication, or that does not log what it replicates', () => {
    const stopped = serverState({ channels: [channel({ sql: 'stopped' })] })
    const silent = serverState({ channels: [channel()], logReplicaUpdates: false })
    const { server, rows } = unwrap(ask({ [first]: { state: stopped }, [second]: { state: silent } }))
    expect(server.name).to.equal(primary)
    expect(rows.filter(({ refused }) => refused).map(({ reason }) => reason)).to.deep.equal([
      'does not replicate: a replication thread is stopped',
      'does not log what it replicates: the position of its data would not be known',
    ])
    expect(names({ [first]: { maintenance: true }, [second]: behind(0) })[0]).to.equal(second)
  })

  it('takes another server than the one that an earlier attempt failed on', () => {
    const avoid = snapshot.servers.filter(({ name }) => name === first).map(({ id }) => id)
    expect(names({ [first]: behind(0), [second]: behind(5) }, { avoid })).to.deep.equal([second, primary, first])
  })

  it('says of every server why there is no source', () => {
    const gone = { observation: 'silent' } as const
    const refused = ask({ [primary]: gone, [first]: gone, [second]: { maintenance: true } })
    expect(refused.ok ? '' : refused.failure.message).to.match(
      /does not answer.* is in maintenance|is in maintenance.* does not answer/,
    )
  })

  it('takes the primary by that word', () => {
    expect(names({}, { server: 'primary' })).to.deep.equal([primary])
  })
})
