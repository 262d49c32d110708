// Programs whose output is a stream: nothing of it is lost, however late it is read.
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { openProgram } from '../../../../lib/connect/shell/piped.js'
import { startTool } from '../../../../lib/effect/returns/kit/tools.js'
import { next } from '../../../support/wait.js'

const args = ['-c', 'echo all of it']

describe('the output of a program', () => {
  it('is whole where the program has exited before anybody reads it', async () => {
    const program = openProgram({ file: '/bin/sh', args, output: 'pipe' })
    expect((await program.ended).status).to.equal(0)
    expect(await text(program.stdout)).to.match(/^all of it\n$/)
  })

  it('is whole where a tool of a return has exited before anybody reads it', async () => {
    const tool = startTool('/bin/sh', args, new AbortController().signal)
    expect(await tool.ended).to.have.property('ok', true)
    expect(await text(tool.output)).to.match(/^all of it\n$/)
  })

  it('ends the program when it is read no more', async () => {
    const program = openProgram({ file: '/bin/cat', args: ['/dev/zero'], output: 'pipe' })
    await next(program.stdout, 'readable', 'the first bytes')
    program.stdout.destroy()
    expect((await program.ended).status).to.not.equal(0)
  })
})
