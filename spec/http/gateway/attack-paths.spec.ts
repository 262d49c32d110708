// Tricks with paths, on every guarded row: no user reaches what the plain path would not open to it.
import { expect } from 'chai'
import { routes } from '../../../http/api/index.js'
import { grants } from '../../../lib/access/grants.js'
import { secret } from '../../../lib/base/secret.js'
import { fillPath } from '../../support/http/fill.js'
import { ScriptedFace } from '../../support/http/scripted-face.js'
import { sendRaw, startTestGateway, type TestGateway } from '../../support/http/test-gateway.js'

const guarded = routes.filter(({ grant }) => grant !== 'none' && grant !== 'token')

/** May do everything on a cluster of its own, and has no grant on `demo`. */
const access = {
  credentials: secret('tenant:tenant-password'),
  allow: `tenant:${grants.join(' ')}:own`,
  discard: '',
}

const upper = (path: string) => path.replace('/api/', '/API/')
const lastSlash = (path: string, by: string) =>
  path.slice(0, path.lastIndexOf('/')) + by + path.slice(path.lastIndexOf('/') + 1)
const cluster = (path: string, name: string) => path.replace('/demo', `/${name}`)

/** Each writes a path in another way that some server or proxy would take for the same. */
const tricks: Readonly<Record<string, (path: string) => string>> = {
  'as it is': (path) => path,
  'a double slash in front': (path) => `/${path}`,
  'double slashes within': (path) => path.replaceAll('/', '//'),
  'a folder up': (path) => `/api/status/..${path.slice(4)}`,
  'a folder up from the own cluster': (path) => cluster(path, 'own/../demo'),
  'an encoded folder up from the own cluster': (path) => cluster(path, 'own%2f..%2fdemo'),
  'a twice encoded folder up': (path) => cluster(path, 'own%252f..%252fdemo'),
  'encoded dots': (path) => cluster(path, 'own/%2e%2e/demo'),
  'the folder itself': (path) => path.replace('/api/', '/api/./'),
  'other case': upper,
  'the cluster in other case': (path) => cluster(path, 'DEMO'),
  'a dot behind': (path) => `${path}.`,
  'a dot behind the cluster': (path) => cluster(path, 'demo.'),
  'a slash behind': (path) => `${path}/`,
  'a blank behind': (path) => `${path}%20`,
  'a zero byte behind': (path) => `${path}%00.css`,
  'a path parameter': (path) => `${path};x=y`,
  'an encoded slash': (path) => lastSlash(path, '%2f'),
  'a backslash': (path) => lastSlash(path, '\\'),
  'an encoded backslash': (path) => lastSlash(path, '%5c'),
  'encoded letters': (path) => cluster(path, '%64%65%6d%6f'),
  'overlong UTF-8': (path) => lastSlash(path, '%c0%af'),
  'a whole address': (path) => `http://127.0.0.1${path}`,
}

describe('guarded rows', () => {
  let gateway: TestGateway
  let tenant: string
  before(async () => {
    gateway = await startTestGateway({ manager: new ScriptedFace(), routes, access })
    tenant = (await gateway.bearer('tenant', 'tenant-password')).Authorization
  })
  after(() => gateway.close())

  /** The statuses of all tricks on the row, asked on one connection; a trick that ends it is asked on the next one. */
  async function statuses(head: string, paths: readonly string[]): Promise<readonly number[]> {
    const found: number[] = []
    while (found.length < paths.length) {
      const rest = paths.slice(found.length)
      const requests = rest.map((path, index) => {
        const close = index === rest.length - 1 ? 'Connection: close\r\n' : ''
        return `${head.replace('PATH', path)}${close}Content-Length: 0\r\n\r\n`
      })
      const text = await sendRaw(gateway.gateway.apiPort, ...requests)
      const answered = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
      if (answered.length === 0) throw new Error(`no answer to ${rest[0]}`)
      found.push(...answered)
    }
    return found
  }

  for (const [who, authorization] of [
    ['a user of another cluster', () => `Authorization: ${tenant}\r\n`],
    ['a stranger', () => ''],
  ] as const)
    it(`stay shut to ${who}, whatever the path is written like`, async () => {
      for (const row of guarded) {
        const path = fillPath(row.paths[0])
        const paths = Object.values(tricks).map((trick) => trick(path))
        const method = row.methods.includes('POST') ? 'POST' : (row.methods[0] ?? 'GET')
        const head = `${method} PATH HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization()}`
        const opened = (await statuses(head, paths)).flatMap((status, index) =>
          [400, 401, 403, 404, 405].includes(status) ? [] : [`${paths[index]}: ${status}`],
        )
        expect(opened, row.id).to.deep.equal([])
      }
    })
})
