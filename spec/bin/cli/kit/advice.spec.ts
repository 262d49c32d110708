import { expect } from 'chai'
import { CommanderError } from 'commander'
import { createProgram } from '../../../../bin/cli/program.js'
import { rowCommands } from '../../../../bin/cli/row/row-commands.js'

/** What the client says about a faulty line. */
async function saidAbout(...words: readonly string[]): Promise<string> {
  const program = createProgram(rowCommands)
  let said = ''
  const hear = (command: typeof program): void => {
    const writeErr = (text: string) => {
      said += text
    }
    command.configureOutput({ writeErr }).exitOverride()
    command.commands.forEach(hear)
  }
  hear(program)
  const fault = await program.parseAsync([...words], { from: 'user' }).catch((error: unknown) => error)
  expect(fault).to.be.instanceOf(CommanderError)
  return said
}

describe('adviseAfterErrors', () => {
  it('lists the words that a command takes where one is missing', async () => {
    expect(await saidAbout('rolling')).to.equal(
      [
        "error: missing required argument 'what'",
        'Usage: manager-cli rolling [options] <what>',
        'what: restart, reprov, optimize, status, cancel',
        'manager-cli rolling --help shows the details.',
        '',
      ].join('\n'),
    )
  })

  it('lists the verbs of a noun where there is none of that name', async () => {
    expect(await saidAbout('query', 'digest')).to.match(
      /unknown command 'digest'\nverbs: kill-query, kill-thread, [\s\S]*\nmanager-cli query --help shows the details\.\n$/,
    )
  })

  it('shows how a verb is used', async () => {
    expect(await saidAbout('setting', 'set')).to.contain('Usage: manager-cli setting set [options] <setting> [value]\n')
  })
})
