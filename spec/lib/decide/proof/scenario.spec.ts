// Transcripts: what happens in a cluster and what the manager reports and does, tick by tick. UPDATE=1 rewrites them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../../lib/base/package-root.js'
import { World } from '../../../support/simulator/cluster.js'
import { Manager } from '../../../support/simulator/manager.js'

const folder = path.join(packageRoot, 'spec/scenario')

interface Stage {
  world: World
  manager: Manager
}

/** What a line that begins with `> ` may say. */
const acts: Readonly<Record<string, (stage: Stage, ...words: readonly string[]) => void>> = {
  cluster: (stage, servers, ...rest) => {
    stage.world = new World({ servers: Number(servers), semiSync: rest.includes('semi-sync') })
    const manual = rest.includes('manual') ? { settings: { 'failover-mode': 'manual' as const } } : {}
    stage.manager = new Manager(stage.world, manual)
  },
  write: ({ world }, number, count = '1') => {
    for (let write = 0; write < Number(count); write += 1) world.write(Number(number))
  },
  kill: ({ world }, number) => world.kill(Number(number)),
  start: ({ world }, number) => world.start(Number(number)),
  hang: ({ world }, number) => world.hang(Number(number)),
  wake: ({ world }, number) => world.wake(Number(number)),
  cut: ({ world }, a, b) => world.cut(Number(a), Number(b)),
  heal: ({ world }) => world.heal(),
  break: ({ world }, number) => {
    const { link } = world.server(Number(number))
    if (link) Object.assign(link, { sql: 'stopped', sqlCode: 1062 })
  },
  slow: ({ world }, number, rate) => {
    world.server(Number(number)).applyRate = Number(rate)
  },
  tick: ({ manager }, count = '1') => manager.ticks(Number(count)),
  switchover: ({ manager }, candidate) => {
    const plan = manager.switchOver(candidate === undefined ? undefined : `db${candidate}`)
    if (!plan.ok) manager.trace.push(`refused: ${plan.failure.code}: ${plan.failure.message}`)
  },
  restart: (stage) => {
    stage.manager = stage.manager.restart()
    stage.manager.settle()
  },
}

/** Plays the acts of a transcript and renders it again: comments and acts unchanged, what followed below each. */
function play(text: string): string {
  const stage: Stage = { world: new World({ servers: 1 }), manager: new Manager(new World({ servers: 1 })) }
  const lines = text.split('\n').filter((line) => line.startsWith('#') || line.startsWith('> '))
  const blocks = lines.map((line) => {
    if (line.startsWith('#')) return line
    const [verb = '', ...words] = line.slice(2).split(' ')
    const act = acts[verb]
    if (!act) throw new Error(`no act is called ${verb}`)
    const { manager } = stage
    const from = manager.trace.length
    act(stage, ...words)
    const lines = stage.manager === manager ? manager.trace.slice(from) : stage.manager.trace
    return [line, ...lines].join('\n')
  })
  return `${blocks.join('\n\n')}\n`
}

describe('scenario', () => {
  for (const name of readdirSync(folder))
    it(name, () => {
      const file = path.join(folder, name)
      const text = readFileSync(file, 'utf8')
      const played = play(text)
      if (process.env.UPDATE) writeFileSync(file, played)
      else expect(played).to.equal(text)
    })
})
