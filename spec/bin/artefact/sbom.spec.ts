import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { dashboardPackages } from '../../../bin/artefact/bundled.js'
import { readLockFile } from '../../../bin/artefact/lock-file.js'
import { renderSbom } from '../../../bin/artefact/sbom.js'
import { packageRoot } from '../../../lib/base/package-root.js'

interface Sbom {
  readonly metadata: { readonly timestamp: string }
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly name: string
    readonly hashes?: readonly object[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

describe('renderSbom', () => {
  it('lists every package of the release once, with digest, and refers to nothing else', async () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'))
    const names = [...new Set([...Object.keys(dependencies), ...(await dashboardPackages())])].sort()
    const input = { lock: await readLockFile(), names, at: 1_790_000_000, commit: 'abc' }
    const text = renderSbom(input)
    const sbom = JSON.parse(text) as Sbom
    const refs = sbom.components.map((each) => each['bom-ref'])
    expect(new Set(refs).size).to.equal(refs.length)
    expect(sbom.components.map(({ name }) => name)).to.include.members(names)
    expect(sbom.components.filter(({ hashes }) => hashes?.length !== 1)).to.deep.equal([])
    const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
    expect(named.filter((ref) => !refs.includes(ref) && !ref.startsWith('pkg:npm/manager@'))).to.deep.equal([])
    expect(sbom.metadata.timestamp).to.equal('2026-09-21T14:13:20.000Z')
    expect(renderSbom(input)).to.equal(text)
  })

  it('has the packages of the dashboard: their code is shipped', async () => {
    expect(await dashboardPackages()).to.include.members(['preact', '@preact/signals', 'uplot'])
  })
})
