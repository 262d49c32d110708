// The registration against a service of its own: its whole life, managers that end in the middle, and settings that change together or not at all.
import { cp, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { Registration } from '../../../../actors/manager/registration/registration.js'
import { done, fail, type Result } from '../../../../lib/base/result.js'
import { type Secret, secret } from '../../../../lib/base/secret.js'
import { defaultSettings, findSetting, type Settings, settingRow } from '../../../../lib/settings/index.js'
import { type Fault, HostedService } from '../../../support/hosted/hosted-service.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const KEY = secret(Buffer.alloc(32, 7).toString('base64'))
const PASSWORD = 'pass-of-the-spec'
const request = { email: 'dba@acme.example', password: secret(PASSWORD), uri: 'acme.paris.a', user: 'admin' }
const WAITING_MS = 10

/** What survives a manager: its directory and its settings. */
interface Host {
  readonly directory: string
  settings: Settings
  adopted: number
  /** Refuses the settings. */
  refuses: boolean
  /** Settings wait for it. */
  holds?: Promise<void>
  key: Secret | undefined
  readonly lines: string[]
}

interface Waits {
  readonly patienceMs?: number
}

function manager(host: Host, { patienceMs = 600_000 }: Waits = {}): Registration {
  return new Registration({
    ...{ directory: host.directory, settings: () => host.settings, key: () => host.key, planChanged: () => {} },
    adopt: async (_, values): Promise<Result<unknown>> => {
      await host.holds
      if (host.refuses) return fail('file-unwritable', 'no space left')
      host.adopted += 1
      const read = Object.entries(values).flatMap(([spelling, value]) => {
        const name = findSetting(spelling)
        if (name === undefined) throw new Error(`no setting ${spelling}`)
        const row = settingRow(name)
        const parsed = value === undefined ? { ok: true as const, value: row.default } : row.shape.parse(value)
        if (!parsed.ok) throw new Error(`${spelling}: ${parsed.failure.message}`)
        return [[name, parsed.value]]
      })
      host.settings = defaultSettings({ ...ownSettings(host.settings), ...Object.fromEntries(read) })
      return done
    },
    log: (_, code, fields) => void host.lines.push(`${code} ${JSON.stringify(fields)}`),
    ...{ pollMs: WAITING_MS, patienceMs },
  })
}

const ownSettings = (settings: Settings): Partial<Settings> => Object.fromEntries(Object.entries(settings))

describe('Registration', () => {
  let service: HostedService
  let host: Host
  const running: Registration[] = []

  const start = async (waits?: Waits): Promise<Registration> => {
    const one = manager(host, waits)
    running.push(one)
    await one.start()
    return one
  }
  const becomes = (registration: Registration, state: string) =>
    eventually(
      () => registration.status().state === state,
      () => `${state} of ${JSON.stringify(registration.status())}\n${host.lines.join('\n')}`,
    )
  const connects = (registration: Registration) =>
    eventually(
      () => /connected\.$/.test(registration.status().message),
      () => `a connection of ${JSON.stringify(registration.status())}\n${host.lines.join('\n')}`,
    )
  const identity = () => [
    host.settings.hosted,
    host.settings['hosted-domain'],
    host.settings['hosted-sub-domain'],
    host.settings['hosted-sub-domain-zone'],
    host.settings['hosted-gitlab-user'],
  ]

  beforeEach(async () => {
    service = new HostedService()
    await service.open()
    host = {
      ...{ directory: newDirectory('registration'), adopted: 0, refuses: false, key: KEY, lines: [] },
      settings: defaultSettings({ 'hosted-crm-api-url': service.url }),
    }
  })
  afterEach(async () => {
    const kept = await readFile(path.join(host.directory, 'registration.json'), 'utf8').catch(() => '')
    const shown = running.map((one) => JSON.stringify(one.status())).join()
    await Promise.all(running.splice(0).map((one) => one.close()))
    await service.close()
    expect(`${kept}${shown}${host.lines.join()}`).not.to.include(PASSWORD)
  })

  it('asks nothing of anyone before it is asked', async () => {
    const registration = await start()
    expect(registration.status().state).to.equal('idle')
    expect(registration.plan).to.equal(undefined)
    expect(service.requests).to.deep.equal([])
  })

  it('registers, waits for the mail, connects, changes its plan and unregisters', async () => {
    const registration = await start()
    expect(await registration.register(request)).to.deep.include({ ok: true })
    expect(await registration.register(request)).to.deep.include({ ok: false })
    await eventually(
      () => service.count('POST /api/register/confirm') > 1,
      () => 'polls',
    )
    expect([registration.status().state, host.adopted]).to.deep.equal(['pending', 0])
    service.confirmMail(request.email)
    await connects(registration)
    expect(identity()).to.deep.equal([true, 'acme', 'paris', 'a', 'dba@acme.example'])
    expect(registration.plan).to.equal('free')
    expect(await registration.confirm(request)).to.deep.include({ ok: false })
    expect(await registration.subscribe({ uri: 'acme.paris.a', plan: 'partner', user: 'admin' })).to.deep.include({
      ...{ ok: true, value: { uri: 'acme.paris.a', plan: 'partner' } },
    })
    expect(registration.plan).to.equal('partner')
    expect((await start()).plan).to.equal('partner')
    expect(await registration.unregister({ uri: 'acme.paris.b', user: 'admin' })).to.deep.include({ ok: false })
    expect(await registration.unregister({ uri: 'acme.paris.a', user: 'admin' })).to.deep.include({ ok: true })
    expect(identity()).to.deep.equal([false, '', '', '', ''])
    expect([registration.status().state, service.projects.size, service.instances.size]).to.deep.equal(['idle', 0, 0])
  })

  it('asks once by confirm, and stays as it is until the mail was answered', async () => {
    const registration = await start()
    expect(await registration.confirm(request)).to.deep.include({ ok: false })
    await registration.register(request)
    const early = await registration.confirm(request)
    expect(early.ok ? '' : early.failure.code).to.equal('email-unconfirmed')
    service.confirmMail(request.email)
    await becomes(registration, 'complete')
  })

  it('leaves its state where the service refuses the registration or cannot be reached', async () => {
    const registration = await start()
    for (const fault of ['error', 'gone', 'no-json', 'redirect', 'echo'] satisfies readonly Fault[]) {
      service.faults.set('POST /api/register', fault)
      expect(await registration.register(request), fault).to.deep.include({ ok: false })
      expect(registration.status().state, fault).to.equal('idle')
    }
  })

  it('waits on while the service cannot be reached, ends in error where it refuses, and may begin again', async () => {
    const registration = await start()
    await registration.register(request)
    service.faults.set('POST /api/register/confirm', 'error')
    const before = service.count('POST /api/register/confirm')
    await eventually(
      () => service.count('POST /api/register/confirm') > before + 2,
      () => 'polls',
    )
    expect(registration.status().state).to.equal('pending')
    service.accounts.clear()
    service.faults.clear()
    await becomes(registration, 'error')
    expect(registration.status().message).to.include('account not found')
    expect(await registration.register(request)).to.deep.include({ ok: true })
  })

  it('ends in timeout where the mail is not answered', async () => {
    const registration = await start({ patienceMs: 1 })
    await registration.register(request)
    await becomes(registration, 'timeout')
    service.confirmMail(request.email)
    expect(await registration.confirm(request)).to.deep.include({ ok: true })
    expect(registration.status().state).to.equal('complete')
  })

  it('goes on waiting after a restart, with its password encrypted on disk', async () => {
    const first = await start()
    await first.register(request)
    await first.close()
    service.confirmMail(request.email)
    await connects(await start())
    expect(identity()[0]).to.equal(true)
  })

  it('says what to do after a restart where there is no key', async () => {
    host.key = undefined
    const first = await start()
    await first.register(request)
    await first.close()
    const second = await start()
    await becomes(second, 'error')
    expect(second.status().message).to.include('confirm again')
    service.confirmMail(request.email)
    expect(await second.confirm(request)).to.deep.include({ ok: true })
  })

  it('is found by the next manager where it ended while the service was asked', async () => {
    const first = await start()
    service.faults.set('POST /api/register', 'hang')
    const asked = first.register(request)
    await eventually(
      () => service.count('POST /api/register') === 1,
      () => 'the request',
    )
    await first.close()
    expect(await asked).to.deep.include({ ok: false })
    service.faults.clear()
    const second = await start()
    await becomes(second, 'error')
    expect(second.status().message).to.include('account not found')
  })

  it('connects after a restart where it ended between the confirmation and the settings, and sets them once', async () => {
    const first = await start()
    await first.register(request)
    service.confirmMail(request.email)
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    host.holds = held
    await eventually(
      () => host.lines.some((line) => line.startsWith('registration-confirmed')),
      () => host.lines.join('\n'),
    )
    const left = host.directory
    host = { ...host, directory: newDirectory('registration-copy'), lines: [] }
    await cp(left, host.directory, { recursive: true })
    delete host.holds
    await connects(await start())
    expect([host.adopted, identity()[0], service.instances.size]).to.deep.equal([1, true, 1])
    release()
  })

  it('changes no setting where they cannot be saved, and says so', async () => {
    const registration = await start()
    await registration.register(request)
    host.refuses = true
    service.confirmMail(request.email)
    await eventually(
      () => registration.status().result?.connect_error === 'no space left',
      () => JSON.stringify(registration.status()),
    )
    expect(identity()).to.deep.equal([false, '', '', '', ''])
    host.refuses = false
    const connected = await registration.confirm(request)
    expect(connected.ok && connected.value.connect_error).to.equal(undefined)
    expect([identity()[0], service.count('POST /api/register')]).to.deep.equal([true, 1])
  })
})
