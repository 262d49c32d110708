import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { isOccupied, occupy } from '../../../../lib/store/format/occupancy.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { endWithRun } from '../../../support/machine/leftovers.js'
import { next } from '../../../support/wait.js'

const OCCUPY = `import { occupy } from ${JSON.stringify(`${packageRoot}/dist/lib/store/format/occupancy.js`)}
console.log(await occupy(process.argv[1])); setInterval(() => undefined, 1e6)`

describe('occupancy', () => {
  it('lasts until the process ends, however it ends, in a directory with a long path', async () => {
    const directory = path.join(newDirectory('occupancy'), 'x'.repeat(120))
    mkdirSync(directory)
    expect(await isOccupied(directory)).to.equal(false)
    const child = spawn(process.execPath, ['--input-type=module', '-e', OCCUPY, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    endWithRun(child)
    expect(String((await next(child.stdout, 'data', 'the first bytes'))[0])).to.equal('true\n')
    expect(await isOccupied(directory)).to.equal(true)
    expect(await occupy(directory)).to.equal(false)
    child.kill('SIGKILL')
    await next(child, 'exit', 'the end of the process')
    expect(await isOccupied(directory)).to.equal(false)
    expect(await occupy(directory)).to.equal(true)
  })

  it('is false for a directory that does not exist', async () => {
    expect(await isOccupied(path.join(newDirectory('occupancy'), 'none'))).to.equal(false)
  })
})
