// How often specs ask a clock, sleep or set a limit of milliseconds: each is a place that a busy machine may turn red.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../lib/base/package-root.js'

const clock = /\bsleep\(|\bsetTimeout\(|\b\w*Ms: [\d_]+\b|\bperformance\.now\b|\bDate\.now\b/g

/** They measure, or run for so long as their arguments say. */
const measuring = /^(bench|chaos|pictures)\//

const counted = (): Readonly<Record<string, number>> =>
  Object.fromEntries(
    readdirSync(path.join(packageRoot, 'spec'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !measuring.test(file))
      .sort()
      .map((file): [string, number] => [
        file,
        readFileSync(path.join(packageRoot, 'spec', file), 'utf8').match(clock)?.length ?? 0,
      ])
      .filter(([, count]) => count > 0),
  )

describe('The specs', () => {
  it('ask clocks in no more places than spec/clocks.json says, which only shrinks', () => {
    const listed = JSON.parse(readFileSync(path.join(packageRoot, 'spec/clocks.json'), 'utf8')) as Record<
      string,
      number
    >
    const here = counted()
    const files = [...new Set([...Object.keys(listed), ...Object.keys(here)])].sort()
    const changed = files
      .map((file) => ({ file, is: here[file] ?? 0, was: listed[file] ?? 0 }))
      .filter(({ is, was }) => is !== was)
    const more = changed.filter(({ is, was }) => is > was).map(({ file, is, was }) => `${file}: ${is}, ${was} listed`)
    expect(more, 'wait for an event or a state instead (spec/support/wait.ts), or move the clock in').to.deep.equal([])
    const fewer = changed.map(({ file, is, was }) => `${file}: ${is}, ${was} listed`)
    expect(fewer, 'lower the list').to.deep.equal([])
  })
})
