// The pictures of the dashboard's document: each is there and small, and none is left over.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../lib/base/package-root.js'

describe('share/doc/dashboard.md', () => {
  const folder = path.join(packageRoot, 'share/doc/picture')
  const shown = [
    ...readFileSync(path.join(packageRoot, 'share/doc/dashboard.md'), 'utf8').matchAll(/\(picture\/([^)]+)\)/g),
  ].map(([, name = '']) => name)

  it('shows every picture of its folder', () => {
    expect(shown.toSorted()).to.deep.equal(readdirSync(folder).toSorted())
  })

  it('has pictures that are loaded at once', () => {
    const large = shown.filter((name) => name.endsWith('.webp') && statSync(path.join(folder, name)).size > 60_000)
    expect(large).to.deep.equal([])
  })
})
