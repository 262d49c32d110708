// Every key that existing dashboards and scripts read of the large objects is there, misspelt ones among them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { renderClusterViews } from '../../../http/api/views/index.js'
import { renderChannels } from '../../../http/api/views/server/live.js'
import { renderProxy } from '../../../http/api/views/server/proxy.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { followProxy } from '../../../lib/proxy/standing.js'
import { viewInput } from '../../support/http/view-input.js'
import { openWire, type Wire } from '../../support/http/wire.js'

type Fields = Readonly<Record<'cluster' | 'server' | 'channel' | 'proxy' | 'monitor', readonly string[]>>

const fields: Fields = JSON.parse(readFileSync(path.join(packageRoot, 'spec/fixture/wire-fields.json'), 'utf8'))
const render = (view: 'cluster' | 'servers') =>
  JSON.parse(Buffer.from(renderClusterViews[view](viewInput())).toString())
const missing = (object: object, names: readonly string[]) => names.filter((name) => !(name in object))

describe('keys of the large objects', () => {
  let wire: Wire
  before(async () => {
    wire = await openWire()
  })
  after(() => wire.close())

  it('are those of a cluster', () => {
    expect(missing(render('cluster'), fields.cluster)).to.deep.equal([])
  })

  it('are those of a server and of its channels, also of a server that never answered', () => {
    for (const server of render('servers')) expect(missing(server, fields.server), server.name).to.deep.equal([])
    const channels = render('servers').flatMap(({ replications }: { replications: object[] }) => replications)
    expect(channels).not.to.deep.equal([])
    for (const channel of channels) expect(missing(channel, fields.channel)).to.deep.equal([])
  })

  it('are those of a proxy', () => {
    const proxy = {
      id: 'px1',
      name: 'lb1',
      kind: 'haproxy',
      host: 'lb1',
      port: 1999,
      version: '3.0',
      alive: true,
    } as const
    expect(missing(renderProxy(followProxy(undefined, { ...proxy, at: 0, backends: [] })), fields.proxy)).to.deep.equal(
      [],
    )
  })

  it('are those of the monitor', async () => {
    const { body } = await wire.ask('/api/monitor')
    expect(missing(JSON.parse(body), fields.monitor)).to.deep.equal([])
  })

  it('stand beside the misspelt one where clients read it', () => {
    const [channel] = renderChannels([{ Replicate_Do_Domain_Ids: '1', Seconds_Behind_Master: null }])
    expect(channel).to.deep.include({
      replicateDoDomainIds: { String: '1', Valid: true },
      eeplicateDoDomainIds: { String: '1', Valid: true },
      secondsBehindMaster: { Int64: 0, Valid: false },
    })
  })
})
