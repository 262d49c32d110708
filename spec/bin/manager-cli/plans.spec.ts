// Commands that show a plan: nothing is asked before, on no terminal either.

import { expect } from 'chai'
import type { Command } from 'commander'
import { createProgram } from '../../../bin/cli/program.js'
import { rowCommands } from '../../../bin/cli/row/row-commands.js'
import { CliWorld } from '../../support/http/cli-world.js'

interface Planned {
  readonly path: readonly string[]
  readonly words: readonly string[]
}

/** Every command with `--plan`, with a word for each argument and each option that must be given. */
function planned(command: Command, path: readonly string[] = []): readonly Planned[] {
  const below = command.commands.flatMap((each) => planned(each, [...path, each.name()]))
  if (!command.options.some(({ long }) => long === '--plan')) return below
  const given = command.registeredArguments.filter(({ required }) => required)
  const words = given.map((each) => each.argChoices?.[0] ?? (each.name() === 'host:port' ? '127.0.0.1:3306' : 'db1'))
  const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long = '' }) => [long, 'db2'])
  return [...below, { path, words: [...words, ...needed] }]
}

describe('manager-cli: --plan', () => {
  const world = CliWorld.forSuite()
  const commands = planned(createProgram(rowCommands))

  it('is an option of the commands that lose something', () => {
    expect(commands.map(({ path }) => path.join(' '))).to.include.members([
      'failover',
      'unprovision',
      'server reset-master',
      'server unprovision',
      'password rotate',
      'server skip-replication-event',
    ])
  })

  it('asks for no confirmation', async () => {
    const asked: string[] = []
    for (const { path, words } of commands) {
      const { stderr } = await world.client.run('--cluster', 'demo', ...path, ...words, '--plan')
      if (/--yes|\[y\/N\]/.test(stderr)) asked.push(`${path.join(' ')}: ${stderr}`)
    }
    expect(asked).to.deep.equal([])
  })
})
