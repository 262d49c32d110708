// The scripts of the shells: bash's is run by bash, the others hold every command, flag and choice.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { renderCompletion, shells } from '../../../bin/cli/completion.js'
import { createProgram } from '../../../bin/cli/program.js'
import { newDirectory } from '../../support/directories.js'

const run = promisify(execFile)
const program = createProgram()

describe('renderCompletion', () => {
  const folder = newDirectory('completion')
  const script = path.join(folder, 'completion.bash')

  /** What bash offers for the last of the words. */
  const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
    const line = `source ${script}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _manager_cli; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await run('bash', ['--norc', '-c', line], { cwd: folder })
    return stdout.split('\n').filter((word) => word !== '')
  }
  before(() => {
    writeFileSync(script, renderCompletion('bash', program))
    writeFileSync(path.join(folder, 'ca.pem'), '')
    mkdirSync(path.join(folder, 'cars'))
  })

  it('lets bash complete commands', async () => {
    expect(await offered('manager-cli', 'to')).to.deep.equal(['topology'])
    expect(await offered('manager-cli', '--port', '1', 'sw')).to.deep.equal(['switchover'])
    expect(await offered('manager-cli', '')).to.include.members(program.commands.map((command) => command.name()))
  })

  it('lets bash complete the flags of a command and those of all', async () => {
    expect(await offered('manager-cli', 'switchover', '--p')).to.have.members(['--plan', '--port', '--password'])
    expect(await offered('manager-cli', 'switchover', '--db')).to.deep.equal(['--db-servers-prefered-master'])
    expect(await offered('manager-cli', 'topology', '--pl')).to.deep.equal([])
  })

  it('takes the value of a flag for no command', async () => {
    expect(await offered('manager-cli', '--cluster', 'switchover', '--pla')).to.deep.equal([])
    expect(await offered('manager-cli', '--cluster', 'switchover', 'expl')).to.deep.equal(['explain'])
  })

  it('lets bash complete choices, files and shells', async () => {
    expect(await offered('manager-cli', '--output', '')).to.deep.equal(['table', 'json', 'yaml'])
    expect(await offered('manager-cli', 'topology', '--output', 'j')).to.deep.equal(['json'])
    expect(await offered('manager-cli', '--cacert', 'ca')).to.have.members(['ca.pem', 'cars'])
    expect(await offered('manager-cli', 'completion', 'z')).to.deep.equal(['zsh'])
  })

  it('offers nothing where only its user knows', async () => {
    expect(await offered('manager-cli', '--password', '')).to.deep.equal([])
  })

  for (const shell of shells)
    it(`names every command, flag and choice to ${shell}`, () => {
      const text = renderCompletion(shell, program)
      const words = text.split(/[^\w-]+/)
      for (const command of program.commands) expect(words).to.include(command.name())
      for (const { long, argChoices = [] } of [program, ...program.commands].flatMap(({ options }) => options)) {
        expect(words).to.include(shell === 'fish' ? long?.slice(2) : long)
        expect(words).to.include.members([...argChoices])
      }
    })
})
