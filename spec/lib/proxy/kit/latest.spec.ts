import { expect } from 'chai'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import type { Proxy as ProxyAdapter, ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { latestOnly } from '../../../../lib/proxy/kit/latest.js'

const target = (id: string): ProxyTarget => ({ primary: { id, host: id, port: 3306 }, readers: [] })
const { signal } = new AbortController()

/** Records what is applied; the first request runs until it is aborted. */
function slowProxy() {
  const applied: string[] = []
  const proxy: ProxyAdapter = {
    ...{ id: 'px1', name: 'lb1', kind: 'haproxy' },
    read: () => Promise.reject(new Error('not read')),
    apply: async ({ primary }, given) => {
      if (primary?.id === 'db1' && !given.aborted)
        await new Promise((resolve) => given.addEventListener('abort', resolve))
      applied.push(`${primary?.id} ${given.aborted ? 'aborted' : 'applied'}`)
      return given.aborted ? fail('proxy-failed', 'given up') : ok(undefined)
    },
    close: async () => undefined,
  }
  return { proxy, applied }
}

describe('latestOnly', () => {
  it('aborts an earlier request before it starts a later one', async () => {
    const { proxy, applied } = slowProxy()
    const one = latestOnly(proxy)
    const outcomes: Result<void>[] = await Promise.all([
      one.apply(target('db1'), signal),
      one.apply(target('db2'), signal),
    ])
    expect(applied).to.deep.equal(['db1 aborted', 'db2 applied'])
    expect(outcomes.map((outcome) => outcome.ok)).to.deep.equal([false, true])
  })

  it('continues after a request that threw', async () => {
    const { proxy, applied } = slowProxy()
    let failed = false
    const one = latestOnly({
      ...proxy,
      apply: (wanted, given) => {
        if (failed) return proxy.apply(wanted, given)
        failed = true
        return Promise.reject(new Error('broken'))
      },
    })
    const broken = one.apply(target('db3'), signal).catch((error: Error) => error.message)
    await one.apply(target('db2'), signal)
    expect(await broken).to.equal('broken')
    expect(applied).to.deep.equal(['db2 applied'])
  })
})
