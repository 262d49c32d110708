// The plan in force: of the license, else of the subscription, else free; and which alerts are forwarded by it.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { PlanInForce } from '../../../../actors/manager/registration/plan-in-force.js'
import { runLicenses } from '../../../../bin/licenses/licenses.js'
import { secret } from '../../../../lib/base/secret.js'
import { type HostedPlan, hostedPlans } from '../../../../lib/hosted/index.js'
import { channels } from '../../../../lib/notify/index.js'
import { defaultSettings, type Settings } from '../../../../lib/settings/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

const registered = {
  ...{ hosted: true, 'hosted-domain': 'acme', 'hosted-sub-domain': 'paris', 'hosted-sub-domain-zone': 'a' },
  'hosted-alert-slack-url': secret('https://chat.example.com/hook'),
} as const

interface World {
  readonly settings: Partial<Settings>
  readonly subscribed?: HostedPlan
  readonly key?: string
}

/** The plan with a count of its changes. */
async function judged({ settings, subscribed, key }: World) {
  const world = { settings: defaultSettings(settings), changes: 0, lines: [] as string[] }
  const plan = new PlanInForce({
    settings: () => world.settings,
    subscribed: () => subscribed,
    log: (_, code) => void world.lines.push(code),
    changed: () => {
      world.changes += 1
    },
    ...(key === undefined ? {} : { key }),
  })
  await plan.start()
  return { plan, world }
}

const receives = (plan: PlanInForce, settings: Partial<Settings>): boolean => {
  const seen = plan.forwarding(defaultSettings(settings))
  return seen !== undefined && channels.hosted.receiver(seen, 'alert') !== undefined
}

describe('PlanInForce', () => {
  const folder = newDirectory('plan-in-force')
  const key = path.join(folder, 'license.pub')
  const file = path.join(folder, 'license.json')
  const licensed = { ...registered, 'hosted-license-file': file }

  before(async () => {
    await runLicenses(['keygen', '--out', folder])
    const named = ['--key', `${folder}/signing.pem`, '--uri', 'acme.paris.a', '--plan', 'support-services']
    expect(await runLicenses(['sign', ...named, '--out', folder])).to.deep.include({ status: 0 })
  })

  it('reads nothing, logs nothing and forwards nothing while hosted is off', async () => {
    const off = { ...licensed, hosted: false }
    const { plan, world } = await judged({ settings: off, subscribed: 'partner', key })
    expect([plan.plan, plan.source, plan.findings(), world.changes, world.lines]).to.deep.equal([
      'free',
      'none',
      [],
      0,
      [],
    ])
    expect(receives(plan, off)).to.equal(false)
  })

  for (const subscribed of hostedPlans)
    it(`forwards alerts of a subscription to ${subscribed} ${subscribed === 'free' ? 'never' : 'unless hosted-alert is off'}`, async () => {
      const { plan } = await judged({ settings: registered, subscribed })
      expect([plan.plan, plan.source]).to.deep.equal([subscribed, 'subscription'])
      expect(receives(plan, registered)).to.equal(subscribed !== 'free')
      expect(receives(plan, { ...registered, 'hosted-alert': false })).to.equal(false)
      expect(receives(plan, { ...registered, 'hosted-alert-slack-url': secret('') })).to.equal(false)
    })

  it('takes the plan of the license before that of the subscription', async () => {
    const { plan, world } = await judged({ settings: licensed, subscribed: 'free', key })
    expect([plan.plan, plan.source, plan.findings()]).to.deep.equal(['support-services', 'license', []])
    expect(world.lines).to.deep.equal(['hosted-plan'])
    plan.close()
  })

  it('is free with a finding where the license is missing, of another manager or signed by another key', async () => {
    for (const [settings, detail] of [
      [{ ...licensed, 'hosted-license-file': path.join(folder, 'gone.json') }, /gone\.json: there is no such file/],
      [{ ...licensed, 'hosted-sub-domain-zone': 'b' }, /it is for acme\.paris\.a, this manager is acme\.paris\.b/],
      [{ ...licensed, 'hosted-sub-domain-zone': '' }, /hosted-sub-domain-zone are not set/],
    ] as const) {
      const { plan, world } = await judged({ settings, subscribed: 'partner', key })
      expect([plan.plan, plan.findings()[0]?.code]).to.deep.equal(['free', 'WARN0420'])
      expect(plan.findings()[0]?.detail).to.match(detail)
      expect(world.lines).to.include('hosted-license-refused')
      plan.close()
    }
    const { plan } = await judged({ settings: licensed })
    expect(plan.findings()[0]?.detail).to.match(/share\/hosted\/license\.pub: there is no such file/)
    plan.close()
  })

  it('follows a changed file and a cleared setting, and reports each difference once', async () => {
    const { plan, world } = await judged({ settings: licensed, subscribed: 'partner', key })
    await writeFile(file, '{}')
    await plan.judge()
    await plan.judge()
    expect([plan.plan, plan.findings().length, world.changes]).to.deep.equal(['free', 1, 2])
    world.settings = defaultSettings(registered)
    await plan.judge()
    expect([plan.plan, plan.source, plan.findings()]).to.deep.equal(['partner', 'subscription', []])
    expect(world.lines).to.deep.equal(['hosted-plan', 'hosted-license-refused', 'hosted-plan', 'hosted-plan'])
    plan.close()
  })
})
