// What pages say to do about a failure: never an address of the API or a command of its client.
import { expect } from 'chai'
import { pageHint } from '../../../http/dashboard/src/model/page-hint.js'
import { failures } from '../../../lib/base/failures.js'

const foreign = /\b(GET|POST|PUT|DELETE)\b|\/api|(^|\W)[CS]\/|manager-cli|=true\b/

describe('hints of the pages', () => {
  it('are the page’s own where those of the manager are about its API', () => {
    const hints = Object.entries(failures).map(([code, { hint }]) => [code, hint, pageHint(code, hint)] as const)
    expect(hints.filter(([, , own]) => own !== undefined && foreign.test(own))).to.deep.equal([])
    // Where a page has no way of its own it says nothing.
    const silent = hints.filter(([, hint, own]) => foreign.test(hint) && own === undefined).map(([code]) => code)
    expect(silent).to.deep.equal(['unknown-route', 'unknown-test'])
  })

  it('are those of the manager where they fit', () => {
    const { hint } = failures['setting-grant']
    expect(pageHint('setting-grant', hint)).to.equal(hint)
    expect(pageHint('never-heard-of', 'Ask for GET C/jobs.')).to.equal(undefined)
  })
})
