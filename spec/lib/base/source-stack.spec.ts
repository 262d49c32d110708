import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { builtPath } from '../../../lib/base/package-root.js'
import { sourceStack } from '../../../lib/base/source-stack.js'

describe('sourceStack', () => {
  it('leaves places outside of bundles and bundles without a map', () => {
    const gone = `    at run (${pathToFileURL(builtPath('bundle/gone.js')).href}:1:1)`
    const own = '    at Suite.<anonymous> (file:///elsewhere/program.js:7:9)'
    expect(sourceStack(`${own}\n${gone}`)).to.equal(`${own}\n${gone}`)
  })

  it('names the source of a place in a bundle', function () {
    const file = builtPath('bundle/host.js')
    // Bundles are made by `npm run build`; the compiler alone makes none.
    if (!existsSync(file)) this.skip()
    const lines = readFileSync(file, 'utf8').split('\n')
    const line = lines.findIndex((text) => text.startsWith('runHost('))
    const trace = sourceStack(`    at ${pathToFileURL(file).href}:${line + 1}:1`)
    expect(trace).to.match(new RegExp(`^    at ${path.join('bin', 'host.ts')}:\\d+:1$`))
  })
})
