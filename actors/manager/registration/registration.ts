// The registration of this manager at a hosted service: asked for, waited for, connected; kept on disk at each step.

import type { LogCode, WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import type { Secret } from '../../../lib/base/secret.js'
import { HOUR, isoTime, MINUTE, now, SECOND } from '../../../lib/base/time.js'
import {
  type Account,
  type Applicant,
  acceptRegistration,
  type HostedPlan,
  nextState,
  noRegistration,
  parseUri,
  RegistrationApi,
  type RegistrationEvent,
  type RegistrationRecord,
  renderStatus,
  renderUri,
} from '../../../lib/hosted/index.js'
import { decryptSecret, encryptSecret, type Settings } from '../../../lib/settings/index.js'
import { readRegistration, writeRegistration } from '../../../lib/store/index.js'
import type {
  RegistrationAnswer,
  RegistrationFace,
  RegistrationRequest,
  SubscriptionView,
} from '../../protocol/manager/registration.js'
import { connectedSettings, type Values, withdrawnSettings } from './connect.js'

/** How often, and how long, a confirmation is asked for. */
const POLL_MS = 10 * SECOND
const PATIENCE_MS = 5 * MINUTE
/** How soon a plan that was changed elsewhere is known. */
const PLAN_MS = HOUR

export interface RegistrationParts {
  readonly directory: string
  readonly settings: () => Settings
  /** Of `monitoring-key-path`; without it a password is not kept over a restart. */
  readonly key: () => Secret | undefined
  /** Changes these settings of the server together, recorded with the user; all or none. */
  readonly adopt: (user: string, values: Values) => Promise<Result<unknown>>
  readonly log: WriteLog
  /** The plan of the subscription may be another one. */
  readonly planChanged: () => void
  /** `POLL_MS` and `PATIENCE_MS` when absent. */
  readonly pollMs?: number
  readonly patienceMs?: number
}

/** The manager itself, where it acts without being asked. */
const OWN_USER = 'manager'

export class Registration implements RegistrationFace {
  readonly #parts: RegistrationParts
  readonly #end = new AbortController()
  #record: RegistrationRecord = noRegistration
  /** Of what is waited for or connected; never on disk in clear. */
  #password: Secret | undefined
  #poll: NodeJS.Timeout | undefined
  #planTimer: NodeJS.Timeout | undefined
  /** Requests and polls follow one another. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: RegistrationParts) {
    this.#parts = parts
  }

  /** Reads what was kept and goes on where it ended. Resolves when the plan that was known last is known. */
  async start(): Promise<void> {
    const { directory, log } = this.#parts
    const { value, damage } = await readRegistration(directory, acceptRegistration)
    for (const problem of damage) log('error', 'registration-unreadable', { problem })
    if (!value) return
    this.#record = value
    this.#password = this.#opened(value)
    if (value.state === 'pending') this.#schedule()
    if (value.connection?.state === 'running') void this.#inTurn(() => this.#resumeConnection())
    this.#follow()
    void this.#inTurn(() => this.#readPlan())
  }

  /** The plan of the subscription as it was known last; undefined for a manager that is not registered. */
  get plan(): HostedPlan | undefined {
    return this.#record.state === 'complete' ? (this.#record.plan ?? 'free') : undefined
  }

  status(): ReturnType<RegistrationFace['status']> {
    return renderStatus(this.#record)
  }

  /** Ends what is asked of the service; the next start goes on with it. */
  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#poll)
    clearInterval(this.#planTimer)
    await this.#turn
  }

  register({ user, ...request }: RegistrationRequest): Promise<Result<RegistrationAnswer>> {
    return this.#inTurn(async () => {
      const asked = this.#applicant(request)
      if (!asked.ok) return this.#noted(asked, 'registration-requested', { user })
      const { applicant, api } = asked.value
      const uri = renderUri(applicant.uri)
      const fields = { uri, email: applicant.email, user }
      if (nextState(this.#record.state, 'requested') === undefined)
        return this.#noted(fail('already-registered', this.#occupied()), 'registration-requested', fields)
      const before = this.#record
      const since = now()
      const until = since + (this.#parts.patienceMs ?? PATIENCE_MS)
      // Before the service knows of it: a manager killed in between asks what became of it.
      const kept = await this.#move('requested', {
        ...{
          uri,
          email: applicant.email,
          since,
          until,
          message: `${uri} waits for the confirmation of ${applicant.email}.`,
        },
        ...this.#sealed(applicant.password),
      })
      if (!kept.ok) return kept
      const answer = await api.register(applicant)
      if (!answer.ok) {
        if (!this.#end.signal.aborted) await this.#keep(before)
        return this.#noted(answer, 'registration-requested', fields)
      }
      this.#password = applicant.password
      this.#schedule()
      const { state, message } = this.#record
      return this.#noted(ok({ ...objectOf(answer.value), state, message, uri }), 'registration-requested', fields)
    })
  }

  confirm({ user, ...request }: RegistrationRequest): Promise<Result<RegistrationAnswer>> {
    return this.#inTurn(async () => {
      const asked = this.#applicant(request)
      if (!asked.ok) return asked
      const { applicant, api } = asked.value
      const { state, uri, connection } = this.#record
      const isAgain = state === 'complete' && connection?.state !== 'done' && uri === renderUri(applicant.uri)
      if (state === 'complete' && !isAgain) return fail('already-registered', this.#occupied())
      // Registered and not connected: the service does not confirm twice, but it knows whether the account is right.
      const answer = isAgain ? await api.subscription(applicant.uri, applicant) : await api.confirm(applicant)
      if (!answer.ok) return answer
      const result = isAgain ? (this.#record.result ?? {}) : objectOf(answer.value)
      await this.#confirmed(applicant, result, user)
      const { message } = this.#record
      return ok({
        message,
        ...this.#record.result,
        ...renderStatus(this.#record).result,
        uri: renderUri(applicant.uri),
      })
    })
  }

  subscription(given: string | undefined): Promise<Result<SubscriptionView>> {
    return this.#inTurn(async () => {
      const uri = given ?? this.#record.uri
      const asked = this.#subscriber(uri)
      if (!asked.ok) return asked
      const { api, account, named } = asked.value
      const plan = await api.subscription(named, account)
      return plan.ok ? this.#subscribed(uri, plan.value) : plan
    })
  }

  subscribe({ uri, plan, user }: Parameters<RegistrationFace['subscribe']>[0]): Promise<Result<SubscriptionView>> {
    return this.#inTurn(async () => {
      const asked = this.#subscriber(uri)
      if (!asked.ok) return asked
      const { api, account, named } = asked.value
      const chosen = await api.subscribe(named, plan, account)
      this.#noted(chosen, 'subscription-changed', { uri, plan, user })
      return chosen.ok ? this.#subscribed(uri, chosen.value) : chosen
    })
  }

  async plans(): ReturnType<RegistrationFace['plans']> {
    const api = this.#api()
    return api.ok ? api.value.plans() : api
  }

  unregister({ uri, user }: Parameters<RegistrationFace['unregister']>[0]): ReturnType<RegistrationFace['unregister']> {
    return this.#inTurn(async () => {
      const { state, uri: own } = this.#record
      if (state !== 'complete' || uri !== own)
        return fail(
          'unknown-account',
          `${uri} is not the name of this manager: it is ${own === '' ? 'not registered' : own}`,
        )
      const asked = this.#subscriber(uri)
      if (!asked.ok) return asked
      const { api, account, named } = asked.value
      const ended = await api.unregister(named, account)
      // A manager killed after it has unregistered finds that the service knows it no more.
      const isGone = ended.ok || ended.failure.code === 'unknown-account'
      if (!isGone) return this.#noted(ended, 'registration-removed', { uri, user })
      const adopted = await this.#parts.adopt(user, withdrawnSettings)
      if (!adopted.ok) return adopted
      this.#password = undefined
      await this.#move('unregistered', {
        message: `${uri} was unregistered by ${user}.`,
        uri: '',
        email: '',
        since: now(),
      })
      this.#follow()
      this.#parts.planChanged()
      return this.#noted(ok({ uri }), 'registration-removed', { uri, user })
    })
  }

  /** The service has registered it: from here on a restart connects. */
  async #confirmed(applicant: Applicant, result: Readonly<Record<string, unknown>>, user: string): Promise<void> {
    clearTimeout(this.#poll)
    const uri = renderUri(applicant.uri)
    this.#password = applicant.password
    const record = {
      ...{ uri, email: applicant.email, since: now(), message: `${uri} is registered.`, result },
      ...{ connection: { state: 'running' } as const, ...this.#sealed(applicant.password) },
    }
    if (this.#record.state === 'complete') await this.#keep({ ...record, state: 'complete' })
    else await this.#move('confirmed', record)
    this.#parts.log('info', 'registration-confirmed', { uri, user })
    await this.#connect(applicant, user)
  }

  async #connect(applicant: Applicant, user: string): Promise<void> {
    const { adopt, log, planChanged } = this.#parts
    // The next start goes on with it.
    if (this.#end.signal.aborted) return
    const adopted = await adopt(user, connectedSettings(applicant))
    if (!adopted.ok) return this.#failConnection(adopted.failure.message)
    const { sealed: _, ...record } = this.#record
    this.#password = undefined
    log('info', 'registration-connected', { uri: record.uri })
    await this.#keep({
      ...{ ...record, message: `${record.uri} is registered and connected.` },
      connection: { state: 'done' },
    })
    this.#follow()
    planChanged()
    await this.#readPlan()
  }

  async #failConnection(problem: string): Promise<void> {
    const { sealed: _, ...record } = this.#record
    this.#password = undefined
    this.#parts.log('warn', 'registration-not-connected', { uri: record.uri, problem })
    const message = `${record.uri} is registered, and not connected: ${problem}`
    await this.#keep({ ...record, message, connection: { state: 'failed', problem } })
  }

  async #resumeConnection(): Promise<void> {
    const applicant = this.#kept()
    await (applicant ? this.#connect(applicant, OWN_USER) : this.#failConnection(FORGOTTEN))
  }

  #schedule(): void {
    clearTimeout(this.#poll)
    if (this.#end.signal.aborted) return
    const { pollMs = POLL_MS } = this.#parts
    this.#poll = setTimeout(() => void this.#inTurn(() => this.#ask()), pollMs).unref()
  }

  /** One poll. */
  async #ask(): Promise<void> {
    if (this.#record.state !== 'pending' || this.#end.signal.aborted) return
    const applicant = this.#kept()
    if (!applicant) return this.#give('refused', FORGOTTEN)
    const api = this.#api()
    const answer = api.ok ? await api.value.confirm(applicant) : api
    if (this.#end.signal.aborted) return
    if (answer.ok) return this.#confirmed(applicant, objectOf(answer.value), OWN_USER)
    const { code, message } = answer.failure
    if (code !== 'email-unconfirmed' && code !== 'registration-unreachable') return this.#give('refused', message)
    const { until = 0, uri } = this.#record
    if (now() >= until)
      return this.#give('expired', `not confirmed until ${isoTime(until)}; the latest answer: ${message}`)
    await this.#keep({ ...this.#record, message: `${uri} waits for its confirmation: ${message}` })
    this.#schedule()
  }

  async #give(event: RegistrationEvent, reason: string): Promise<void> {
    const { uri, email } = this.#record
    this.#password = undefined
    await this.#move(event, { uri, email, since: now(), message: `${uri} is not registered: ${reason}` })
    this.#parts.log('warn', 'registration-ended', { uri, state: this.#record.state, reason })
  }

  /** Asks for the plan now and then while this manager is registered and `hosted`; nothing runs otherwise. */
  #follow(): void {
    const isWanted = this.#record.state === 'complete' && !this.#end.signal.aborted
    clearInterval(this.#planTimer)
    this.#planTimer = isWanted
      ? setInterval(() => void this.#inTurn(() => this.#readPlan()), PLAN_MS).unref()
      : undefined
  }

  /** Without an answer the plan stays the one that was known last. */
  async #readPlan(): Promise<void> {
    const { uri, state } = this.#record
    if (state !== 'complete' || !this.#parts.settings().hosted || this.#end.signal.aborted) return
    const asked = this.#subscriber(uri)
    if (!asked.ok) return
    const { api, account, named } = asked.value
    const plan = await api.subscription(named, account)
    if (plan.ok) await this.#subscribed(uri, plan.value)
    else this.#parts.log('warn', 'subscription-unread', { uri, problem: plan.failure.message })
  }

  async #subscribed(uri: string, plan: HostedPlan): Promise<Result<SubscriptionView>> {
    if (uri === this.#record.uri && this.#record.state === 'complete' && plan !== this.#record.plan) {
      await this.#keep({ ...this.#record, plan })
      this.#parts.planChanged()
    }
    return ok({ uri, plan })
  }

  #api(): Result<RegistrationApi> {
    return RegistrationApi.of(this.#parts.settings()['hosted-crm-api-url'], this.#end.signal)
  }

  #applicant({
    email,
    password,
    uri,
  }: Omit<RegistrationRequest, 'user'>): Result<{ readonly applicant: Applicant; readonly api: RegistrationApi }> {
    const named = parseUri(uri)
    if (!named.ok) return named
    const api = this.#api()
    return api.ok ? ok({ applicant: { email, password, uri: named.value }, api: api.value }) : api
  }

  /** The account that signs questions about subscriptions. */
  #subscriber(uri: string) {
    const settings = this.#parts.settings()
    const [email, password] = [settings['hosted-gitlab-user'], settings['hosted-gitlab-password']]
    if (email === '') return fail('unknown-account', 'this manager is not registered: hosted-gitlab-user is not set')
    const named = parseUri(uri)
    if (!named.ok) return named
    const api = this.#api()
    const account: Account = { email, password }
    return api.ok ? ok({ api: api.value, account, named: named.value }) : api
  }

  #occupied(): string {
    const { state, uri, until = 0 } = this.#record
    return state === 'pending'
      ? `the registration of ${uri} is under way until ${isoTime(until)}`
      : `this manager is registered as ${uri}: unregister it first`
  }

  #sealed(password: Secret): Pick<RegistrationRecord, 'sealed'> {
    const key = this.#parts.key()
    return key ? { sealed: encryptSecret(password, key) } : {}
  }

  #opened({ sealed }: RegistrationRecord): Secret | undefined {
    const key = this.#parts.key()
    if (sealed === undefined || !key) return undefined
    const opened = decryptSecret(sealed, key)
    return opened.ok ? opened.value : undefined
  }

  /** What is waited for or connected, with its password. */
  #kept(): Applicant | undefined {
    const named = parseUri(this.#record.uri)
    return named.ok && this.#password
      ? { email: this.#record.email, password: this.#password, uri: named.value }
      : undefined
  }

  /** The state after the event, with all else as given. */
  #move(event: RegistrationEvent, rest: Omit<RegistrationRecord, 'state'>): Promise<Result<void>> {
    const state = nextState(this.#record.state, event)
    return state === undefined
      ? Promise.resolve(fail('wrong-state', `a registration that is ${this.#record.state} is not ${event}`))
      : this.#keep({ ...rest, state })
  }

  async #keep(record: RegistrationRecord): Promise<Result<void>> {
    const written = await writeRegistration(this.#parts.directory, acceptRegistration, record)
    if (!written.ok) {
      this.#parts.log('error', 'registration-not-saved', { problem: written.failure.message })
      // What is only asked for is not begun; what the service has done already is so all the same.
      if (record.state === 'pending' && this.#record.state !== 'pending') return written
    }
    this.#record = record
    return done
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }

  #noted<T>(result: Result<T>, code: LogCode, fields: Readonly<Record<string, unknown>>): Result<T> {
    if (result.ok) this.#parts.log('info', code, fields)
    else this.#parts.log('warn', code, { ...fields, refused: result.failure.message })
    return result
  }
}

const FORGOTTEN =
  'the manager was restarted and does not know the password any more (monitoring-key-path names no key): confirm again, POST /api/register/confirm'

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
