// Every row is a command with a name of its own, and the tree takes it as it is described.
import { expect } from 'chai'
import { createProgram } from '../../../../bin/cli/program.js'
import { describeRow } from '../../../../bin/cli/row/describe.js'
import { routes } from '../../../../http/api/index.js'
import { isRead, pathNames } from '../../../../http/api/kit/route.js'

const commands = routes.map(describeRow)
const commandOf = (name: string) => {
  const command = commands.find(({ noun, verb }) => `${noun} ${verb}` === name)
  if (!command) throw new Error(`no row is ${name}`)
  return command
}

describe('describeRow', () => {
  it('gives every row a noun and a verb of its own', () => {
    const names = commands.map(({ noun, verb }) => `${noun} ${verb}`)
    for (const name of names) expect(name).to.match(/^[a-z]+ [a-z0-9]+(-[a-z0-9]+)*$/)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([])
  })

  it('names no verb as a command by hand is named', () => {
    const byHand = createProgram().commands
    const clashes = commands.filter(({ noun, verb }) => {
      const command = byHand.find((each) => each.name() === noun)
      return command && (command.commands.length === 0 || command.commands.some((each) => each.name() === verb))
    })
    expect(clashes.map(({ noun, verb }) => `${noun} ${verb}`)).to.deep.equal([])
  })

  it('is in the tree, row by row, with a flag of its own for every field', () => {
    const program = createProgram(routes.map(describeRow))
    const common = program.options.map(({ long }) => long)
    for (const { noun, verb, arguments: words } of commands) {
      const found = program.commands.find((each) => each.name() === noun)?.commands.find((each) => each.name() === verb)
      expect(found?.registeredArguments.length, `${noun} ${verb}`).to.equal(words.length)
      const flags = found?.options.map(({ long }) => long) ?? []
      expect(flags.filter((flag, index) => common.includes(flag) || flags.indexOf(flag) !== index)).to.deep.equal([])
      expect(found?.summary(), `${noun} ${verb}`).to.match(/\w/)
    }
  })

  it('asks for all that every spelling of a path needs', () => {
    for (const { route, arguments: words, ofCluster } of commands) {
      const given = words.flatMap(({ name }) => (name === 'address' ? ['host', 'port'] : [name, 'port']))
      const needed = route.paths.map((path) => pathNames(path).filter((name) => !(name === 'cluster' && ofCluster)))
      for (const names of needed) expect(given, route.id).to.include.members([...names])
    }
  })

  it('puts optional words behind those that must be there', () => {
    for (const { arguments: words, route } of commands) {
      const order = words.map(({ required }) => required)
      expect(order, route.id).to.deep.equal(order.toSorted((left, right) => Number(right) - Number(left)))
    }
  })

  it('knows what loses something, what interrupts, and that reading does neither', () => {
    for (const name of [
      'server drop',
      'token revoke',
      'user drop',
      'cluster delete',
      'server unprovision',
      'server reset-master',
    ])
      expect(commandOf(name).gravity, name).to.equal('loses')
    for (const name of ['server stop', 'server stop-slave', 'cluster failover', 'query kill-thread'])
      expect(commandOf(name).gravity, name).to.equal('interrupts')
    for (const name of ['server start', 'setting set', 'cluster switchover', 'server list'])
      expect(commandOf(name).gravity, name).to.equal('none')
    const reads = routes.filter(isRead).map(({ id }) => id)
    expect(
      commands
        .filter(({ gravity, route }) => gravity !== 'none' && reads.includes(route.id))
        .map(({ route }) => route.id),
    ).to.deep.equal([])
  })

  it('wants the cluster named where it is about the cluster itself', () => {
    expect(commandOf('cluster delete')).to.deep.include({ ofCluster: false })
    expect(commandOf('cluster delete').arguments).to.deep.equal([{ name: 'cluster', required: true }])
    expect(commandOf('cluster show')).to.deep.include({ ofCluster: true, arguments: [] })
  })

  it('takes what a body must have as words, passwords as flags', () => {
    const { arguments: words, flags } = commandOf('user add')
    expect(words.map(({ name, required }) => [name, required])).to.deep.equal([['username', true]])
    expect(flags.map(({ flag }) => flag)).to.deep.equal(['plan', 'confirm', 'new-password', 'roles', 'grants'])
  })

  it('calls fields otherwise that share their name with a flag of all commands', () => {
    expect(commandOf('setting history').flags.map(({ flag }) => flag)).to.include('of-user')
    expect(commandOf('server processlist').flags.map(({ flag }) => flag)).to.include.members(['of-user', 'of-host'])
  })

  it('respells what addresses misspell', () => {
    for (const name of ['server set-read-only', 'server set-preferred', 'server list', 'job show', 'server add'])
      commandOf(name)
  })
})
