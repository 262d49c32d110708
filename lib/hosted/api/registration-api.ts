// The client of the registration API of a hosted service: bounded in time and size, no redirects, certificates verified.
import { fail, ok, type Result } from '../../base/result.js'
import { reveal, type Secret, secret } from '../../base/secret.js'
import { SECOND } from '../../base/time.js'
import type { HttpRequest } from '../../connect/http/request.js'
import { type HostedPlan, isHostedPlan } from '../instance/plan.js'
import { type InstanceUri, renderUri } from '../instance/uri.js'
import { type Json, type Refusals, withoutSecrets } from './answer.js'
import { askJson, baseOf } from './ask.js'

const REGISTER_MS = 30 * SECOND
const QUESTION_MS = 15 * SECOND
/** Plans of a catalogue. */
const MOST_PLANS = 50

/** The account at the service, which is that of the git host. */
export interface Account {
  readonly email: string
  readonly password: Secret
  /** Of the git host: presented in place of the password where there is one. */
  readonly token?: Secret
}

export interface Applicant extends Account {
  readonly uri: InstanceUri
}

/** An entry of the catalogue, as the service describes it. */
export type OfferedPlan = Readonly<Record<string, unknown>>

const usual: Refusals = {
  400: 'bad-request',
  401: 'registration-refused',
  403: 'registration-refused',
  404: 'unknown-account',
  409: 'already-registered',
  422: 'bad-request',
}

const confirming: Refusals = { ...usual, 400: 'email-unconfirmed' }

interface Question extends Pick<HttpRequest, 'method'> {
  readonly path: string
  readonly timeoutMs: number
  readonly refusals?: Refusals
  /** Signs the request. */
  readonly account?: Account
  /** Its password is a field of the body; the request is not signed. */
  readonly applicant?: Applicant
  readonly body?: Readonly<Record<string, string>>
}

export class RegistrationApi {
  readonly #base: string
  readonly #shown: string
  readonly #signal: AbortSignal | undefined

  private constructor(address: string, signal: AbortSignal | undefined) {
    this.#base = baseOf(address)
    this.#shown = new URL(address).host
    this.#signal = signal
  }

  /** `registration-unreachable` where the address (`hosted-crm-api-url`) is not set. `signal` ends what is asked. */
  static of(address: string, signal?: AbortSignal): Result<RegistrationApi> {
    return URL.canParse(address)
      ? ok(new RegistrationApi(address, signal))
      : fail('registration-unreachable', 'hosted-crm-api-url is not set: no registration API is known')
  }

  /** Asks for the account and the name. `bad-request`, `already-registered`, `registration-refused`, `registration-unreachable`. */
  register(applicant: Applicant): Promise<Result<Json>> {
    return this.#ask({ path: '/api/register', method: 'POST', timeoutMs: REGISTER_MS, applicant })
  }

  /** `email-unconfirmed` until the owner of the address has confirmed it; `unknown-account` and those of `register`. */
  confirm(applicant: Applicant): Promise<Result<Json>> {
    const path = '/api/register/confirm'
    return this.#ask({ path, method: 'POST', timeoutMs: REGISTER_MS, refusals: confirming, applicant })
  }

  async unregister(uri: InstanceUri, account: Account): Promise<Result<void>> {
    const body = { uri: renderUri(uri) }
    const answer = await this.#ask({ path: '/api/unregister', method: 'POST', timeoutMs: REGISTER_MS, account, body })
    return answer.ok ? ok(undefined) : answer
  }

  async subscription(uri: InstanceUri, account: Account): Promise<Result<HostedPlan>> {
    const path = `/api/subscription?uri=${encodeURIComponent(renderUri(uri))}`
    return this.#planOf(await this.#ask({ path, timeoutMs: QUESTION_MS, account }))
  }

  async subscribe(uri: InstanceUri, plan: HostedPlan, account: Account): Promise<Result<HostedPlan>> {
    const body = { uri: renderUri(uri), plan }
    const question = { path: '/api/subscription', method: 'POST', timeoutMs: QUESTION_MS, account, body } as const
    return this.#planOf(await this.#ask(question))
  }

  /** What the service offers; public. */
  async plans(): Promise<Result<readonly OfferedPlan[]>> {
    const answer = await this.#ask({ path: '/api/subscription/plans', timeoutMs: QUESTION_MS })
    if (!answer.ok) return answer
    const list = Array.isArray(answer.value) ? answer.value : Reflect.get(answer.value, 'plans')
    if (!Array.isArray(list)) return this.#odd('no list of plans')
    return ok(list.filter((one) => typeof one === 'object' && one !== null).slice(0, MOST_PLANS))
  }

  #planOf(answer: Result<Json>): Result<HostedPlan> {
    if (!answer.ok) return answer
    const plan: unknown = Reflect.get(answer.value, 'plan')
    return isHostedPlan(plan) ? ok(plan) : this.#odd('no plan that this version knows')
  }

  #odd(what: string): Result<never> {
    return fail('registration-unreachable', `${this.#shown}: the answer contains ${what}`)
  }

  async #ask(question: Question): Promise<Result<Json>> {
    const { path, method = 'GET', timeoutMs, refusals = usual, account, applicant } = question
    const body = applicant ? renderApplicant(applicant) : question.body && JSON.stringify(question.body)
    const answer = await askJson({
      ...{ url: `${this.#base}${path}`, shown: this.#shown, method, timeoutMs, refusals, headers: signed(account) },
      ...(body === undefined ? {} : { body }),
      ...(this.#signal ? { signal: this.#signal } : {}),
      hidden: reveal((account ?? applicant)?.password ?? secret('')),
    })
    return answer.ok ? ok(withoutSecrets(answer.value)) : answer
  }
}

const renderApplicant = ({ email, password, uri: { domain, subdomain, zone } }: Applicant): string =>
  JSON.stringify({ email, password: reveal(password), domain, subdomain, zone })

function signed(account: Account | undefined): Readonly<Record<string, string>> {
  if (!account) return {}
  const { email, password, token } = account
  if (token) return { authorization: `Bearer ${reveal(token)}` }
  return { authorization: `Basic ${Buffer.from(`${email}:${reveal(password)}`).toString('base64')}` }
}
