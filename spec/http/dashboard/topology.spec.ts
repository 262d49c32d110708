import { expect } from 'chai'
import type { Channel, Condition, Role, Server } from '../../../http/dashboard/src/model/cluster/server.js'
import { foldSiblings } from '../../../http/dashboard/src/pages/cluster/topology/fold.js'
import { buildGraph } from '../../../http/dashboard/src/pages/cluster/topology/graph.js'
import { type Box, layoutTopology } from '../../../http/dashboard/src/pages/cluster/topology/layout.js'
import { neighbourOf } from '../../../http/dashboard/src/pages/cluster/topology/walk.js'
import { boxLabel, shorten } from '../../../http/dashboard/src/pages/cluster/topology/words.js'
import { zonesFor } from '../../../http/dashboard/src/pages/cluster/topology/zones.js'
import type { Action } from '../../../http/dashboard/src/plan/action.js'

const follows = (source: string, rest: Partial<Channel> = {}): Channel => ({
  ...{ name: '', sourceHost: source, sourcePort: '3306', source, io: 'running', sql: 'running', lag: 0 },
  ...rest,
})

const server = (id: string, role: Role, channels: readonly Channel[] = []): Server => {
  const lags = channels.flatMap(({ lag }) => lag ?? [])
  return {
    ...{ id, name: id, address: `${id}:3306`, role, condition: 'well', word: role, channels },
    ...{ isMaintenance: false, isDelayed: false, needs: [] },
    ...(lags.length === 0 ? {} : { lag: Math.max(...lags) }),
  }
}

const primary = server('db1', 'primary')
interface State {
  readonly condition?: Condition
  readonly lag?: number
}

const replica = (id: string, source = 'db1', { condition = 'well', lag = 0 }: State = {}): Server => ({
  ...server(id, 'replica', [follows(source, { lag })]),
  condition,
})

const many = (count: number) => [primary, ...Array.from({ length: count }, (_, index) => replica(`db${index + 2}`))]
const closed: ReadonlySet<string> = new Set()
const layers = (servers: readonly Server[], opened = closed) => layoutTopology(servers, { form: 'layers', opened })

const overlap = (a: Box, b: Box): boolean =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 && a.y < b.y + b.height && b.y < a.y + a.height

const overlaps = (boxes: readonly Box[]) =>
  boxes.flatMap((a, index) => boxes.slice(index + 1).flatMap((b) => (overlap(a, b) ? [`${a.id} ${b.id}`] : [])))

describe('buildGraph', () => {
  it('has the primary at the root and replicas below their source', () => {
    const { roots } = buildGraph([primary, replica('db2'), replica('db3', 'db2')])
    expect(roots.map(({ id }) => id)).to.deep.equal(['db1'])
    expect(roots[0]?.children[0]?.children.map(({ id }) => id)).to.deep.equal(['db3'])
  })

  it('makes a ring one group, in the order of replication, the primary first', () => {
    const ring = [
      replica('db2', 'db1'),
      server('db1', 'primary', [follows('db3')]),
      replica('db3', 'db2'),
      replica('db4', 'db3'),
    ]
    const [root] = buildGraph(ring).roots
    expect(root?.form).to.equal('ring')
    expect(root?.servers.map(({ id }) => id)).to.deep.equal(['db1', 'db2', 'db3'])
    expect(root?.children.map(({ id }) => id)).to.deep.equal(['db4'])
  })

  it('makes the members of a Galera cluster one group, with their replicas below', () => {
    const [root] = buildGraph([primary, server('db2', 'member'), server('db3', 'member'), replica('db4', 'db2')]).roots
    expect(root?.form).to.equal('galera')
    expect(root?.servers.map(({ id }) => id)).to.deep.equal(['db1', 'db2', 'db3'])
    expect(root?.children.map(({ id }) => id)).to.deep.equal(['db4'])
  })

  it('keeps every channel of a replica with several sources, one of them from outside', () => {
    const outside: Channel = { name: 'legacy', sourceHost: 'old', sourcePort: '3306', io: 'running', sql: 'running' }
    const third = server('db3', 'replica', [follows('db1'), follows('db2', { name: 'billing' }), outside])
    const { roots, edges } = buildGraph([primary, server('db2', 'standalone'), third])
    expect(roots.map(({ id }) => id)).to.deep.equal(['db1', 'db2', 'outside old:3306'])
    expect(edges.map(({ from, isTree }) => [from, isTree])).to.deep.equal([
      ['db1', true],
      ['db2', false],
      ['outside old:3306', false],
    ])
  })

  it('ends for servers that replicate from themselves', () => {
    expect(buildGraph([server('db1', 'replica', [follows('db1')])]).roots).to.have.length(1)
  })
})

describe('foldSiblings', () => {
  const groupsOf = (servers: readonly Server[]) => buildGraph(servers).roots[0]?.children ?? []

  it('shows eight one by one', () => {
    expect(foldSiblings(groupsOf(many(8)), 'db1').fold).to.equal(undefined)
  })

  it('folds the rest, and names their worst lag', () => {
    const lagging = replica('db20', 'db1', { lag: 12 })
    const { shown, fold } = foldSiblings(groupsOf([...many(10), lagging]), 'db1')
    expect(shown).to.have.length(7)
    expect(fold).to.deep.include({ servers: 4, worstLag: 12, troubled: 0 })
  })

  it('keeps those in trouble and those with replicas out of the fold', () => {
    const { shown } = foldSiblings(
      groupsOf([
        ...many(10),
        replica('db90', 'db1', { condition: 'down' }),
        replica('db91', 'db5'),
        replica('db92', 'db11', { condition: 'late' }),
      ]),
      'db1',
    )
    expect(shown.map(({ id }) => id)).to.include.members(['db90', 'db5', 'db11'])
  })
})

describe('layoutTopology', () => {
  for (const [title, servers] of [
    ['a pair', [server('db1', 'primary', [follows('db2')]), server('db2', 'replica', [follows('db1')])]],
    ['a tree of three layers', [primary, replica('db2'), replica('db3'), replica('db4', 'db2'), replica('db5', 'db3')]],
    [
      'a ring of five with a replica',
      [
        ...['db1', 'db2', 'db3', 'db4', 'db5'].map((id, index, all) =>
          server(id, index === 0 ? 'primary' : 'replica', [follows(all.at(index - 1) ?? '')]),
        ),
        replica('db6', 'db3'),
      ],
    ],
    [
      'seven members of a Galera cluster',
      [
        primary,
        ...many(6)
          .slice(1)
          .map(({ id }) => server(id, 'member')),
      ],
    ],
    ['two hundred replicas', many(200)],
  ] as const) {
    it(`puts nothing of ${title} over another`, () => {
      const { boxes, width } = layers(servers)
      const nodes = boxes.filter(({ frame }) => frame === undefined)
      expect(overlaps(nodes)).to.deep.equal([])
      expect(Math.min(...nodes.map((box) => box.x - box.width / 2))).to.be.at.least(0)
      expect(width).to.be.at.least(Math.max(...nodes.map((box) => box.x + box.width / 2)))
    })
  }

  it('draws replicas below their source', () => {
    const { boxes } = layers([primary, replica('db2')])
    const [one, two] = ['db1', 'db2'].map((id) => boxes.find((box) => box.id === id))
    expect((two?.y ?? 0) > (one?.y ?? 0) + (one?.height ?? 0)).to.equal(true)
  })

  it('draws two hundred replicas as nine boxes, and each of them after the fold is opened', () => {
    expect(layers(many(200)).boxes).to.have.length(9)
    const { boxes } = layers(many(200), new Set(['fold db1']))
    expect(boxes.filter((box) => box.server)).to.have.length(201)
    expect(overlaps(boxes)).to.deep.equal([])
  })

  it('is a list without overlaps where there is no room', () => {
    const { boxes, lines } = layoutTopology(many(3), { form: 'list', opened: closed, width: 320 })
    expect(boxes.map(({ level }) => level)).to.deep.equal([1, 2, 2, 2])
    expect(overlaps(boxes)).to.deep.equal([])
    expect(Math.max(...boxes.map((box) => box.x + box.width / 2))).to.be.at.most(320)
    expect(lines).to.have.length(3)
  })
})

describe('neighbourOf', () => {
  const { boxes } = layers([primary, replica('db2'), replica('db3'), replica('db4')])
  const at = (id: string) => boxes.find((box) => box.id === id) as Box
  for (const [from, direction, to] of [
    ['db1', 'down', 'db3'],
    ['db2', 'up', 'db1'],
    ['db2', 'right', 'db3'],
    ['db4', 'left', 'db3'],
    ['db4', 'right', undefined],
  ] as const)
    it(`leads ${direction} from ${from} to ${to ?? 'nothing'}`, () => {
      expect(neighbourOf(boxes, at(from), direction)?.id).to.equal(to)
    })
})

describe('zonesFor', () => {
  const servers = [primary, replica('db2'), replica('db3', 'db2'), replica('db4', 'db1', { condition: 'down' })]
  const situation = { cluster: 'shop', servers, denied: () => undefined }
  const zones = (id: string, more: object = {}) =>
    Object.fromEntries(
      zonesFor(servers.find((each) => each.id === id) as Server, { ...situation, ...more }).map((zone) => [
        zone.name,
        zone.refused,
      ]),
    )

  it('names every zone, and has none that is not named', () => {
    expect(Object.keys(zones('db2'))).to.deep.equal([
      'Make db2 the primary',
      'Put into maintenance',
      'Replicate from db1',
      'Replicate from db3',
      'Replicate from db4',
    ])
  })

  it('says why a zone is forbidden', () => {
    expect(zones('db2')).to.deep.include({
      'Make db2 the primary': undefined,
      'Replicate from db1': 'It replicates from db1 already.',
      'Replicate from db3': 'db3 is below db2: that would be a ring.',
      'Replicate from db4': 'db4 is down.',
    })
  })

  it('leaves the primary where it is', () => {
    expect(zones('db1')['Make db1 the primary']).to.equal('db1 is the primary.')
    expect(zones('db1')['Replicate from db2']).to.match(/make another server the primary first/)
  })

  it('forbids replicas of replicas where the settings do', () => {
    expect(zones('db3', { allowsTiers: false })['Replicate from db1']).to.equal(undefined)
    expect(zones('db4', { allowsTiers: false })['Replicate from db2']).to.equal('db4 is down.')
  })

  it('takes the reason of the election and the grant of the user', () => {
    const readiness = { ranking: [{ server: 'db2', name: 'db2', eligible: false, reason: 'it is ignored' }] }
    expect(zones('db2', { readiness })['Make db2 the primary']).to.equal('It cannot be elected: it is ignored')
    const denied = ({ grant }: Action) => `Needs the grant ${grant}.`
    expect(zones('db2', { denied })['Put into maintenance']).to.equal('Needs the grant db-maintenance.')
  })
})

describe('boxLabel', () => {
  it('says of a replica what the drawing shows', () => {
    const lagging = { ...replica('db2', 'db1', { condition: 'late', lag: 47 }), word: 'Replica late' }
    const { boxes } = layers([primary, lagging])
    const byId = new Map([primary, lagging].map((each) => [each.id, each]))
    expect(boxLabel(boxes.find(({ id }) => id === 'db2') as Box, byId)).to.equal(
      'db2, Replica late, replicates from db1, 47 s behind',
    )
  })
})

describe('shorten', () => {
  it('keeps both ends of a host name', () => {
    expect(shorten('db-orders-eu-west-1-replica-07', 15)).to.equal('db-orde…lica-07')
    expect(shorten('db1', 15)).to.equal('db1')
  })
})
