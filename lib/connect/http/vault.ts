// The token for reading secrets from a vault: the configured one, or one obtained by an AppRole login.
import { fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import { httpAsk } from './request.js'

/** The settings of these names. */
export interface VaultSettings {
  readonly 'vault-server-addr': string
  readonly 'vault-auth': 'approle'
  readonly 'vault-role-id': Secret
  readonly 'vault-secret-id': Secret
  readonly 'vault-token': Secret
  readonly 'vault-mount': string
}

const TIMEOUT_MS = 5 * SECOND

/** Failures: `disabled` when no vault is configured, `http-failed` with its answer. */
export async function vaultToken(settings: VaultSettings): Promise<Result<string>> {
  const address = settings['vault-server-addr'].replace(/\/+$/, '')
  if (address === '') return fail('disabled', 'no vault is configured: vault-server-addr is empty')
  const given = reveal(settings['vault-token'])
  if (given !== '') return ok(given)
  const [role_id, secret_id] = [reveal(settings['vault-role-id']), reveal(settings['vault-secret-id'])]
  if (role_id === '' || secret_id === '')
    return fail('disabled', 'the vault needs vault-token, or vault-role-id and vault-secret-id')
  // https://developer.hashicorp.com/vault/api-docs/auth/approle#login-with-approle
  const url = `${address}/v1/auth/${settings['vault-auth']}/login`
  const answer = await httpAsk({
    ...{ url, method: 'POST', timeoutMs: TIMEOUT_MS },
    body: JSON.stringify({ role_id, secret_id }),
  })
  if (!answer.ok) return answer
  const { status, body } = answer.value
  const token = tokenIn(body)
  return token === undefined ? fail('http-failed', `${url} answers ${status} and no token`) : ok(token)
}

function tokenIn(body: string): string | undefined {
  try {
    const parsed = JSON.parse(body) as { readonly auth?: { readonly client_token?: unknown } | null }
    const token = parsed?.auth?.client_token
    return typeof token === 'string' && token !== '' ? token : undefined
  } catch {
    return undefined
  }
}
