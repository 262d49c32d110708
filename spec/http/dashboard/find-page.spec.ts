import { expect } from 'chai'
import type { Page } from '../../../http/dashboard/src/pages/pages.js'
import { currentOf, findPage } from '../../../http/dashboard/src/shell/find-page.js'

const load = async () => ({ page: () => null })
const pages: readonly Page[] = [
  { path: '/', title: 'Fleet', load },
  { path: '/c/:cluster', title: ':cluster', load },
  { path: '/c/:cluster/s/:server', title: ':server of :cluster', load },
]

describe('findPage', () => {
  for (const [path, expected] of [
    ['/', ['/', 'Fleet']],
    ['/c/orders', ['/c/:cluster', 'orders']],
    ['/c/a%2Fb/s/db%201', ['/c/:cluster/s/:server', 'db 1 of a/b']],
    ['/c', undefined],
    ['/c/%', undefined],
  ] as const)
    it(`${path} is ${expected?.[0] ?? 'no page'}`, () => {
      const found = findPage(pages, path)
      expect(found && [found.page.path, found.title]).to.deep.equal(expected)
    })
})

describe('currentOf', () => {
  const hrefs = ['/c/shop', '/c/shop/configuration', '/c/shop/jobs']

  it('is the page itself, or the one whose part is open', () => {
    expect(currentOf(hrefs, '/c/shop')).to.equal('/c/shop')
    expect(currentOf(hrefs, '/c/shop/configuration')).to.equal('/c/shop/configuration')
    expect(currentOf(hrefs, '/c/shop/configuration/drift')).to.equal('/c/shop/configuration')
  })

  it('is none of them elsewhere', () => {
    expect(currentOf(hrefs, '/c/shop/configurations')).to.equal(undefined)
    expect(currentOf(hrefs, '/c/shop/topology')).to.equal(undefined)
  })
})
