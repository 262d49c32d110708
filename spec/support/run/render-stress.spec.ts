// What is printed of files that ran many times.
import { expect } from 'chai'
import type { Run } from './process.js'
import { renderStress } from './render-stress.js'
import type { Task } from './tasks.js'

const task = (name: string): Task => ({
  ...{ name, files: [`dist/spec/${name}.spec.js`], expectedMs: 1, cores: 1, startsPrograms: true },
})

const ran = (of: Task, tookMs: number, failures: readonly string[] = []): Run => ({
  ...{ task: of, tookMs, output: '' },
  report: { passed: 1, failed: failures.length, skips: [], failures, files: {}, cpuMs: 0 },
})

describe('renderStress', () => {
  it('shows each file with its slowest run, each distinct failure once with its number, and the sums', () => {
    const [one, other] = [task('live/a'), task('live/b')]
    const text = renderStress(
      [one, other],
      [
        ran(one, 4_000, ['it follows\n  Error: not within 5003 ms\n    at a']),
        ran(other, 61_000),
        ran(one, 2_000, ['it follows\n  Error: not within 5017 ms\n    at b']),
        ran(other, 3_000, ['it ends\n  Error: not within 5017 ms']),
      ],
    )
    expect(text.split('\n')).to.deep.equal([
      ...['live/a: 0 passed, 2 failed, slowest 4 s', 'live/b: 1 passed, 1 failed, slowest 1 min 1 s', 'Failures:'],
      ...['2 × it follows', '  Error: not within 5003 ms', '    at a'],
      ...['1 × it ends', '  Error: not within 5017 ms'],
      '1 passed, 3 failed',
    ])
  })
})
