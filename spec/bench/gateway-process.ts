// The real gateway with the real routes before a fixed cluster, in a process of its own.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FLAG_KNOWN, FLAG_VALID_PRIMARY } from '../../actors/protocol/actor.js'
import { routes } from '../../http/api/index.js'
import type { Route } from '../../http/api/kit/route.js'
import { startGateway } from '../../http/gateway/index.js'
import { unwrap } from '../../lib/base/result.js'
import { secret } from '../../lib/base/secret.js'
import { HOUR } from '../../lib/base/time.js'
import { FakeFace } from '../support/http/fake-face.js'
import { openBrowsers, openTokens, send } from '../support/http/test-gateway.js'
import { changingFleet } from './changing-fleet.js'
import { answer } from './child.js'
import { viewBytes } from './replies.js'

const USER = 'bench'
const PASSWORD = 'bench-password'

const face = fixedFace()

export interface Started {
  /** Of the plain HTTP server. */
  readonly port: number
  /** Of the one with TLS. */
  readonly apiPort: number
  /** Of a login. */
  readonly token: string
}

export const gatewayAnswers = {
  /** `rows` cuts the table of routes short, or pads it with more. */
  async start(rows?: number): Promise<Started> {
    const gateway = unwrap(
      await startGateway({
        manager: face,
        routes: rows === undefined ? routes : tableOf(rows),
        openapi: () => ({}),
        api: { host: '127.0.0.1', port: 0 },
        http: { host: '127.0.0.1', port: 0 },
        httpsBind: false,
        access: { credentials: secret(`${USER}:${PASSWORD}`), allow: `${USER}:cluster db show`, discard: '' },
        tokenHours: 1,
        userTokens: true,
        tokenDays: 1,
        visitors: {},
        tokens: await openTokens(),
        ...(await openBrowsers()),
        ...{ sessionMs: HOUR, refreshMs: 4_000, staticMaxAge: 0 },
        page: { root: '' },
        log: () => undefined,
      }),
    )
    const login = await send('/api/login', {
      port: gateway.apiPort,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: USER, password: PASSWORD }),
    })
    if (gateway.httpPort === undefined) throw new Error('the gateway has no plain port')
    return { port: gateway.httpPort, apiPort: gateway.apiPort, token: String(JSON.parse(login.body).token) }
  },

  /** The fleet of a manager in place of the fixed one: so many clusters, so many changes of their rows a second. */
  fleet({ clusters, changes }: { readonly clusters: number; readonly changes: number }): void {
    changing?.end()
    changing = changingFleet(clusters, changes)
    face.fleet = changing.hub
  },

  /** Bytes that are held after a collection. */
  held(): number {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let changing: ReturnType<typeof changingFleet> | undefined

/** The login, the read and so many others that there are `count`; what is missing in the table are copies at other paths. */
function tableOf(count: number): readonly Route[] {
  const isNeeded = ({ paths, id }: Route) =>
    id === 'session.login' || paths.some((one) => one.endsWith('topology/servers'))
  const table = [...routes.filter(isNeeded), ...routes.filter((row) => !isNeeded(row))].slice(0, count)
  const copies = Array.from({ length: count - table.length }, (_, index) => {
    const row = routes[index % routes.length] as Route
    return { ...row, id: `copy.${index}`, paths: [`${row.paths[0]}/copy/${index}`] as const }
  })
  return [...table, ...copies]
}

function fixedFace(): FakeFace {
  const face = new FakeFace()
  face.views.set('c1/servers', { bytes: viewBytes, etag: '1-1', at: 0 })
  const servers = Array.from({ length: 3 }, (_, slot) => ({
    ...{ id: `db${slot + 1}`, name: `db${slot + 1}`, host: `db${slot + 1}`, port: 3306, slot },
  }))
  face.gatewayViews.set('c1', { servers, proxies: [], primary: 'db1', active: true })
  face.flagWords.set('c1/0', FLAG_KNOWN | FLAG_VALID_PRIMARY)
  return face
}

answer(gatewayAnswers)
