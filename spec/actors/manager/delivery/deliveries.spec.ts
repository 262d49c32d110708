// Downloads between a change of the settings and the build that follows it.
import { expect } from 'chai'
import type { ArchiveService } from '../../../../actors/archive/index.js'
import { Deliveries } from '../../../../actors/manager/delivery/deliveries.js'
import type { GatewayView } from '../../../../actors/protocol/cluster.js'
import { ok } from '../../../../lib/base/result.js'
import { MINUTE } from '../../../../lib/base/time.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { eventually } from '../../../support/wait.js'

const db1 = { host: 'db1', port: 3306 }

/** A pool whose archive names the build that it comes from; after `hold` a build ends once it is released. */
function pool() {
  const counts = { started: 0, ended: 0 }
  let released = Promise.resolve()
  let release = () => undefined as void
  const hold = () => {
    released = new Promise((resolve) => {
      release = resolve
    })
  }
  const guesses: boolean[] = []
  const build: ArchiveService['build'] = async ([input]) => {
    counts.started += 1
    guesses.push(input?.guessed ?? false)
    await released
    counts.ended += 1
    return ok({ built: 1, unchanged: 0 })
  }
  const file: ArchiveService['file'] = async () =>
    ok({ file: '', etag: `build ${counts.ended}`, bytes: Buffer.alloc(0) })
  const buildProxies = async () => ok({ built: 0, unchanged: 0 })
  return {
    ...{ counts, guesses, hold, release: () => release() },
    archives: { build, buildProxies, file, certified: () => undefined, close: async () => undefined },
  }
}

describe('Deliveries', () => {
  const opened: Deliveries[] = []
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))
  const open = (certified?: { readonly expiresAt: number; readonly rotating: boolean }) => {
    const { archives, ...builds } = pool()
    const deliveries = new Deliveries({
      archives: { ...archives, certified: () => certified } as unknown as ArchiveService,
      settings: () => defaultSettings({ 'monitoring-datadir': '/nowhere', 'db-servers-hosts': ['db1'] }),
      log: () => undefined,
      onFindings: () => undefined,
    })
    opened.push(deliveries)
    return { deliveries, ...builds }
  }
  const etag = async (deliveries: Deliveries) => {
    const archive = await deliveries.file('shop', db1)
    return archive.ok ? archive.value.etag : archive.failure.message
  }

  for (const [days, code] of [
    [400, undefined],
    [3, 'WARN0311'],
    [-1, 'ERR00131'],
  ] as const)
    it(`opens ${code ?? 'nothing'} for certificates that expire in ${days} days`, () => {
      const now = 1_800_000_000_000
      const { deliveries } = open({ expiresAt: now + days * 24 * 60 * MINUTE, rotating: false })
      const codes = deliveries.findings('shop', now).map((finding) => finding.code)
      expect(codes.filter((one) => one === 'WARN0311' || one === 'ERR00131')).to.deep.equal(code ? [code] : [])
    })

  it('delivers at once when no change waits', async () => {
    expect(await etag(open().deliveries)).to.equal('build 0')
  })

  it('delivers nothing older than a change: it builds first, once for all requests', async () => {
    const { deliveries, counts, hold, release } = open()
    deliveries.changed('shop')
    const asked = [etag(deliveries), etag(deliveries)]
    expect(await Promise.all(asked)).to.deep.equal(['build 1', 'build 1'])
    hold()
    deliveries.changed('shop')
    await eventually(() => counts.started === 2, 'the build begins')
    const during = etag(deliveries)
    await new Promise((resolve) => setImmediate(resolve))
    release()
    expect(await during).to.equal('build 2')
  })

  it('reports no change to a server whose software was only assumed before', async () => {
    const { deliveries, guesses } = open()
    deliveries.changed('shop')
    await etag(deliveries)
    for (const patch of [1, 2]) {
      const software = { flavour: 'mariadb', version: { major: 10, minor: 11, patch } } as const
      await deliveries.noteMembers('shop', { servers: [{ ...db1, software }] } as unknown as GatewayView)
      await etag(deliveries)
    }
    expect(guesses).to.deep.equal([false, true, false])
  })
})
