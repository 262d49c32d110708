// Every row against every grant, over a real gateway: each grant that the row documents opens it on its own, and all
// the others together do not. What opens a row can only grow with more grants, so none of the others opens it alone.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { pathNames, type Route } from '../../../http/api/kit/route.js'
import { type Grant, grants } from '../../../lib/access/grants.js'
import { secret } from '../../../lib/base/secret.js'
import { fillPath } from '../../support/http/fill.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'

const guarded = routes.filter(({ grant }) => grant !== 'none' && grant !== 'token')
/** Without the one that answers after twenty minutes, and the one that a cookie opens. */
const open = routes.filter(({ id, grant }) => grant === 'none' && id !== 'global.timeout' && id !== 'session.refresh')
const anyGrant = routes.filter(({ grant }) => grant === 'token')

const wanted = ({ grant }: Route): readonly string[] => [grant].flat()

/** A user with these grants, and no other, on these clusters. */
interface User {
  readonly name: string
  readonly grants: readonly string[]
  readonly clusters: string
}

const holder = (grant: string): User => ({ name: `only-${grant}`, grants: [grant], clusters: '*' })
const others = (row: Route): User => {
  const names = wanted(row)
  return { name: `all-but-${names.join('-or-')}`, grants: grants.filter((one) => !names.includes(one)), clusters: '*' }
}
const stranger: User = { name: 'stranger', grants: ['show'], clusters: 'elsewhere' }

const users = [
  ...new Map(
    [stranger, holder('extrole'), ...guarded.flatMap((row) => [...wanted(row).map(holder), others(row)])].map(
      (user) => [user.name, user],
    ),
  ).values(),
]

/** A word of the allow list takes grants that begin with it along: they are discarded by name. */
const access = {
  credentials: secret(users.map(({ name }) => `${name}:pass`).join(',')),
  allow: users.map(({ name, grants: held, clusters }) => `${name}:${held.join(' ')}:${clusters}`).join(','),
  discard: users
    .map(({ name, grants: held }) => `${name}:${grants.filter((one) => !held.includes(one)).join(' ')}`)
    .join(','),
}

describe('grants of rows', () => {
  const headers = new Map<string, Readonly<Record<string, string>>>()
  let gateway: TestGateway

  before(async () => {
    gateway = await startTestGateway({ manager: new ScriptedFace(), routes, access })
    for (const { name } of users) headers.set(name, await gateway.bearer(name, 'pass'))
  })
  after(() => gateway.close())

  /** Whether the row let the user in, whatever it answered then. */
  async function opens(row: Route, user?: User): Promise<boolean> {
    const { status, body } = await gateway.ask(fillPath(row.paths[0]), {
      method: row.reply.type === 'events' ? 'HEAD' : (row.methods[0] ?? 'GET'),
      headers: user ? (headers.get(user.name) ?? {}) : {},
    })
    return status !== 401 && !(status === 403 && (body === '' || body === 'No valid ACL\n'))
  }

  for (const row of guarded)
    it(`open ${row.id} to ${wanted(row).join(' or ')} and to no other`, async () => {
      for (const grant of wanted(row)) {
        expect(grants, grant).to.include(grant as Grant)
        expect(await opens(row, holder(grant)), grant).to.equal(true)
      }
      expect(await opens(row, others(row)), 'all the others').to.equal(false)
      expect(await opens(row), 'nobody').to.equal(false)
    })

  for (const row of anyGrant)
    it(`open ${row.id} to any grant${pathNames(row.paths[0]).includes('cluster') ? ' on its cluster' : ''}`, async () => {
      expect(await opens(row, holder('extrole'))).to.equal(true)
      expect(await opens(row, stranger)).to.equal(!pathNames(row.paths[0]).includes('cluster'))
      expect(await opens(row), 'nobody').to.equal(false)
    })

  for (const row of open.filter(({ id }) => id !== 'session.login'))
    it(`are not asked for by ${row.id}`, async () => {
      expect(await opens(row)).to.equal(true)
    })
})
