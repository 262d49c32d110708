// The client of the registration API: every status of the contract, every fault, and no secret in any text.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { reveal, secret } from '../../../../lib/base/secret.js'
import { RegistrationApi } from '../../../../lib/hosted/api/registration-api.js'
import { type Fault, HostedService } from '../../../support/hosted/hosted-service.js'

const password = secret('p"ss-of-the-spec')
const uri = { domain: 'acme', subdomain: 'paris', zone: 'a' }
const applicant = { email: 'dba@acme.example', password, uri }

describe('RegistrationApi', () => {
  const service = new HostedService()
  let api: RegistrationApi
  const codeOf = async (asked: Promise<{ readonly ok: boolean; readonly failure?: { readonly code: string } }>) =>
    (await asked).failure?.code ?? 'ok'

  before(async () => {
    await service.open()
    api = unwrap(RegistrationApi.of(`${service.url}/`))
  })
  after(() => service.close())
  afterEach(() => service.faults.clear())

  it('names each refusal of a registration, in the order of its life', async () => {
    expect(await codeOf(api.confirm(applicant))).to.equal('unknown-account')
    expect(await codeOf(api.register(applicant))).to.equal('ok')
    expect(await codeOf(api.confirm(applicant))).to.equal('email-unconfirmed')
    expect(await codeOf(api.confirm({ ...applicant, password: secret('another') }))).to.equal('registration-refused')
    service.confirmMail(applicant.email)
    expect(await codeOf(api.register(applicant))).to.equal('already-registered')
    const confirmed = unwrap(await api.confirm(applicant))
    expect(confirmed).to.deep.equal({ uri: 'acme.paris.a', plan: 'free', project: 'acme/acme-paris-a' })
    expect(await codeOf(api.confirm(applicant))).to.equal('already-registered')
  })

  it('reads and changes the plan, and knows what is offered', async () => {
    expect(unwrap(await api.subscription(uri, applicant))).to.equal('free')
    expect(unwrap(await api.subscribe(uri, 'support', applicant))).to.equal('support')
    expect(unwrap(await api.subscription(uri, applicant))).to.equal('support')
    expect(await codeOf(api.subscription(uri, { ...applicant, password: secret('x') }))).to.equal(
      'registration-refused',
    )
    expect(await codeOf(api.subscription({ ...uri, zone: 'b' }, applicant))).to.equal('unknown-account')
    expect(unwrap(await api.plans()).map(({ plan }) => plan)).to.include('partner')
  })

  it('shows no plan that it does not know', async () => {
    const instance = service.instances.get('acme.paris.a')
    if (instance) instance.plan = 'gold'
    expect(await codeOf(api.subscription(uri, applicant))).to.equal('registration-unreachable')
    if (instance) instance.plan = 'free'
  })

  for (const [fault, text] of [
    ['gone', /./],
    ['error', /answered 500: out of order/],
    ['no-json', /what is no JSON/],
    ['huge', /what is no JSON of at most 64 KiB/],
    ['redirect', /a redirect, which is not followed/],
  ] as const satisfies readonly (readonly [Fault, RegExp])[])
    it(`is unreachable where the service is: ${fault}`, async () => {
      service.faults.set('GET /api/subscription', fault)
      const asked = await api.subscription(uri, applicant)
      expect(asked.ok ? '' : asked.failure.code).to.equal('registration-unreachable')
      expect(asked.ok ? '' : asked.failure.message).to.match(text)
      expect(service.requests.some(({ path }) => path === '/elsewhere')).to.equal(false)
    })

  it('shows no password that the service repeats', async () => {
    service.faults.set('POST /api/register', 'echo')
    const asked = await api.register(applicant)
    const text = asked.ok ? '' : asked.failure.message
    expect(text).to.include('not understood').and.not.include('ss-of-the-spec')
    expect(reveal(password)).to.include('ss-of-the-spec')
  })

  it('ends what is asked when its signal does', async () => {
    const end = new AbortController()
    const ending = unwrap(RegistrationApi.of(service.url, end.signal))
    service.faults.set('POST /api/register', 'hang')
    const asked = ending.register(applicant)
    end.abort()
    expect(await codeOf(asked)).to.equal('registration-unreachable')
  })

  it('is none without an address', () => {
    expect(RegistrationApi.of('')).to.deep.include({ ok: false })
  })
})
