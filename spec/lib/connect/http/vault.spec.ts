import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { secret } from '../../../../lib/base/secret.js'
import { vaultToken } from '../../../../lib/connect/http/vault.js'

/** Answers as https://developer.hashicorp.com/vault/api-docs/auth/approle#login-with-approle documents. */
const approle = (body: string): readonly [status: number, answer: object] => {
  const { role_id, secret_id } = JSON.parse(body)
  if (role_id !== 'role' || secret_id !== 'good') return [400, { errors: ['invalid role or secret ID'] }]
  return [200, { auth: { client_token: 'hvs.from-login', policies: ['default'], lease_duration: 1_200 } }]
}

describe('vaultToken', () => {
  let server: http.Server
  const asked: string[] = []

  before((done) => {
    server = http.createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        asked.push(`${request.method} ${request.url}`)
        const [status, answer] = request.url === '/v1/auth/approle/login' ? approle(text) : [404, { errors: [] }]
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
    })
    server.listen(0, '127.0.0.1', done)
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const ask = (changes: { readonly address?: string; readonly token?: string; readonly id?: string }) =>
    vaultToken({
      'vault-server-addr': changes.address ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      'vault-auth': 'approle',
      'vault-role-id': secret('role'),
      'vault-secret-id': secret(changes.id ?? 'good'),
      'vault-token': secret(changes.token ?? ''),
      'vault-mount': 'kv',
    })

  it('is the configured one, without a request', async () => {
    expect(await ask({ token: 'hvs.given' })).to.deep.equal({ ok: true, value: 'hvs.given' })
    expect(asked).to.deep.equal([])
  })

  it('is the one of an AppRole login', async () => {
    expect(await ask({})).to.deep.equal({ ok: true, value: 'hvs.from-login' })
    expect(asked).to.deep.equal(['POST /v1/auth/approle/login'])
  })

  it('is refused without a vault, without a role, and by the vault', async () => {
    const why = async (changes: Parameters<typeof ask>[0]) => {
      const answer = await ask(changes)
      return answer.ok ? 'given' : `${answer.failure.code} ${answer.failure.message}`
    }
    expect(await why({ address: '' })).to.equal('disabled no vault is configured: vault-server-addr is empty')
    expect(await why({ id: '' })).to.match(/^disabled .*vault-secret-id$/)
    expect(await why({ id: 'wrong' })).to.match(/^http-failed .*answers 400 and no token$/)
    expect(await why({ address: 'nowhere' })).to.match(/^http-failed .*no HTTP address$/)
  })
})
