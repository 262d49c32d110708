// The registration of this manager at a hosted service: its state, its plan, what to do next.

import { readSettingValues } from '../../model/configuration/settings.js'
import {
  mayConfirm,
  mayRegister,
  nextStepOf,
  type OfferedPlan,
  type Registration,
  type RegistrationState,
  readPlans,
  readRegistration,
} from '../../model/hosted/registration.js'
import type { State } from '../../model/state.js'
import { Empty } from '../../parts/basic/empty.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Facts } from '../../parts/list/facts.js'
import { Table } from '../../parts/list/table.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { maySee, me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { GLOBAL } from '../configuration/setting-actions.js'
import { AccountForm } from './account-form.js'
import { unregister } from './registration-actions.js'
import './registration.css'

const EVERY_MS = 5_000

const marks: Readonly<Record<RegistrationState, readonly [State, string]>> = {
  idle: ['unknown', 'not registered'],
  pending: ['degraded', 'waits for the mail to be answered'],
  complete: ['healthy', 'registered'],
  timeout: ['broken', 'not confirmed in time'],
  error: ['broken', 'refused'],
}

export function page() {
  const reading = useReading('GET /api/register/status', { every: EVERY_MS })
  const settings = useReading('GET /api/settings', {
    ...{ query: { name: 'hosted-crm-api-url' }, when: maySee(GLOBAL).allowed },
  })
  const registration = readRegistration(reading.value)
  const service = readSettingValues(settings.value).get('hosted-crm-api-url')
  const isOff = service === '' && registration?.state === 'idle'
  return (
    <div class="page registration-page">
      <h1>Registration</h1>
      {!registration && <NotRead reading={reading} />}
      {isOff && <Off />}
      {registration && !isOff && (
        <>
          <Panel
            title="Registration"
            stale={reading.isStale}
            aside={
              <>
                <AsOf reading={reading} />
                {registration.state === 'complete' && registration.uri !== undefined && (
                  <ActionButton action={unregister(registration.uri)} />
                )}
              </>
            }
          >
            <Standing registration={registration} {...(service === undefined ? {} : { service })} />
            {me.value?.readOnly === false && (mayRegister(registration) || mayConfirm(registration)) && (
              <AccountForm key={registration.uri} registration={registration} />
            )}
          </Panel>
          <Plans registration={registration} />
        </>
      )}
    </div>
  )
}

const Off = () => (
  <Empty>
    <span>
      This manager is registered nowhere, and needs to be nowhere. For a hosted service, set{' '}
      <a href="/settings?q=hosted-crm-api-url">hosted-crm-api-url</a> to its registration API.
    </span>
  </Empty>
)

interface StandingProps {
  readonly registration: Registration
  /** Address of its registration API, where the user may read it. */
  readonly service?: string
}

function Standing({ registration, service }: StandingProps) {
  const { state, message, uri, plan, connectError } = registration
  const [mark, word] = marks[state]
  return (
    <>
      <Facts
        facts={[
          ['State', <StateMark key="state" state={connectError === undefined ? mark : 'degraded'} word={word} />],
          ['Name', uri !== undefined && <span class="mono">{uri}</span>],
          ['Plan', plan],
          ['Service', service !== undefined && service !== '' && <span class="mono">{service}</span>],
          ['The manager says', message],
          ['Not connected', connectError],
        ]}
      />
      <h3>What to do next</h3>
      <p>{nextStepOf(registration)}</p>
    </>
  )
}

/** What the service offers: asked for once, since it is another program that answers. */
function Plans({ registration: { state, uri, plan: current } }: { readonly registration: Registration }) {
  const reading = useReading('GET /api/register/subscription/plans')
  const plans = readPlans(reading.value)
  if (plans.length === 0) return null
  return (
    <Panel title="Plans of the service" stale={reading.isStale}>
      <Table
        caption="Plans that the service offers"
        rows={plans}
        keyOf={({ plan }) => plan}
        columns={[
          {
            key: 'plan',
            head: 'Plan',
            cell: ({ plan }) => (plan === current ? <strong>{plan}, chosen</strong> : plan),
          },
          { key: 'details', head: 'What it is', wide: true, cell: (plan) => <Details of={plan} /> },
        ]}
      />
      {state === 'complete' && uri !== undefined && (
        <div class="choose-plan">
          <p>Another plan is chosen by command:</p>
          <CodeBlock text={`manager-cli subscription choose ${uri} PLAN`} label="Command that chooses a plan" />
        </div>
      )}
    </Panel>
  )
}

const Details = ({ of: { details } }: { readonly of: OfferedPlan }) => (
  <>
    {details.map(([name, value]) => (
      <div key={name}>
        <span class="muted">{name}</span> {value}
      </div>
    ))}
  </>
)
