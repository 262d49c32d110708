// The plan sheet: what an action would do, its confirmation, its steps as they happen, its result.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { mayRun, type Plan } from '../model/plan.js'
import { Button } from '../parts/basic/button.js'
import { Failed, Loading } from '../parts/basic/empty.js'
import { Tag } from '../parts/basic/tag.js'
import { CopyRequest } from '../parts/code/code-block.js'
import { ConfirmName } from '../parts/overlay/confirm-name.js'
import { Dialog } from '../parts/overlay/dialog.js'
import { now } from '../store/clock.js'
import { renderDuration } from '../text/numbers.js'
import { type Action, buttonKinds, clusterOf } from './action.js'
import { permissionFor } from './action-button.js'
import { sheet } from './opened.js'
import { ProgressView } from './progress-view.js'
import { commandOf, requestOf } from './requests.js'
import { runAction } from './send.js'
import { closePlan, confirmPlan, planAgain } from './sheet.js'
import { isUnderWay, type SheetState } from './sheet-state.js'
import './progress.css'
import './plan-sheet.css'

export function PlanSheet() {
  const shown = sheet.value
  const title = shown?.action.title ?? ''
  return (
    <Dialog
      title={title}
      open={shown !== undefined}
      onClose={closePlan}
      as="sheet"
      actions={shown && <Foot {...shown} />}
    >
      {shown && (
        <div class="plan" data-state={shown.state.type}>
          <Body {...shown} />
        </div>
      )}
    </Dialog>
  )
}

interface Shown {
  readonly action: Action
  readonly state: SheetState
}

function Body({ action, state }: Shown) {
  switch (state.type) {
    case 'planning':
      return (
        <>
          {state.why !== undefined && <Changed why={state.why} changes={[]} />}
          <Waiting what="The manager plans it; nothing is done" />
        </>
      )
    case 'unplanned':
      return (
        <>
          <Failed failure={state.failure} onRetry={planAgain} />
          <p class="muted">Nothing was done.</p>
        </>
      )
    case 'planned':
      return (
        <>
          {state.changed && <Changed {...state.changed} />}
          <PlanView plan={state.plan} action={action} />
        </>
      )
    case 'sent':
      return <Waiting what="The request was sent; the manager has not answered yet" since={state.at} />
    case 'running':
      return <ProgressView progress={state.progress} />
    case 'ended':
      return <Ended {...state} action={action} />
    case 'refused':
      return (
        <>
          <p class="plan-verdict plan-failed">Not done, or not to its end</p>
          <Failed failure={state.failure} />
        </>
      )
    case 'unknown':
      return <Unknown {...state} action={action} />
  }
}

/** After so long it says for how long already: a plan that reads stored logs takes minutes. */
const LONG_MS = 5_000

function Waiting({ what, since }: { readonly what: string; readonly since?: number }) {
  const begun = useSignal(since ?? Date.now())
  const waited = now.value - begun.value
  return (
    <>
      <Loading what={what} />
      {waited >= LONG_MS && (
        <p class="muted">
          For <span class="number">{renderDuration(waited)}</span> so far.
          {since === undefined && ' Closing this sheet ends the wait, and nothing is done.'}
        </p>
      )}
    </>
  )
}

const Changed = ({ why, changes }: { readonly why: string; readonly changes: readonly string[] }) => (
  <section class="plan-changed" role="alert">
    <h3>Not run: the situation has changed since this plan was shown</h3>
    {changes.length === 0 ? (
      <p>{why}</p>
    ) : (
      <ul>
        {changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
    )}
    <p class="muted">Below is the plan as it is now. Confirm it again, or close.</p>
  </section>
)

function PlanView({ plan, action }: { readonly plan: Plan; readonly action: Action }) {
  return (
    <>
      {plan.unchecked !== undefined && (
        <section class="plan-refusal" role="alert">
          <h3>Not checked</h3>
          <p>{plan.unchecked}</p>
        </section>
      )}
      {!mayRun(plan) && (
        <section class="plan-refusal" role="alert">
          <h3>The manager would refuse it</h3>
          <p>{plan.refusal ?? 'It gives no reason.'}</p>
        </section>
      )}
      {mayRun(plan) ? <Facts plan={plan} /> : <p>Nothing is done.</p>}
      {plan.risks.length > 0 && (
        <section>
          <h3>Risks</h3>
          <ul class="plan-risks">
            {plan.risks.map((risk) => (
              <li key={risk}>{risk}</li>
            ))}
          </ul>
        </section>
      )}
      {plan.changes.length > 0 && (
        <section>
          <h3>Changes</h3>
          <dl class="plan-facts">
            {plan.changes.map(({ what, before, after }) => (
              <Fact key={what} name={what}>
                {`${before ?? 'none'} → ${after ?? 'none'}`}
              </Fact>
            ))}
          </dl>
        </section>
      )}
      {plan.follows.length > 0 && (
        <section>
          <h3>What follows</h3>
          <ul>
            {plan.follows.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      )}
      {mayRun(plan) && plan.steps.length === 0 && <p>Nothing would change.</p>}
      {plan.changes.length === 0 && plan.steps.length > 0 && (
        <section>
          <h3>
            {plan.steps.length} step{plan.steps.length === 1 ? '' : 's'}
          </h3>
          <ol class="plan-steps">
            {plan.steps.map(({ text, blocksWrites, expectedMs }, index) => (
              <li key={`${index} ${text}`} class={blocksWrites ? 'blocks' : undefined}>
                <span>{text}</span>
                {blocksWrites && <Tag tone="warning">blocks writes</Tag>}
                {expectedMs !== undefined && <span class="number muted">{renderDuration(expectedMs)}</span>}
              </li>
            ))}
          </ol>
        </section>
      )}
      <p class="plan-copies">
        <CopyRequest
          request={requestOf(action, plan)}
          {...(commandOf(action) === undefined ? {} : { command: commandOf(action) as string })}
        />
      </p>
    </>
  )
}

/** Of a plan that would run: a refused one blocks, loses and leaves nothing. */
const Facts = ({ plan }: { readonly plan: Plan }) => (
  <dl class="plan-facts">
    <Fact name="Writes">{pauseText(plan)}</Fact>
    {plan.loss && (
      <Fact name="Loss" tone={plan.loss.kind === 'none' ? 'good' : 'error'}>
        {plan.loss.text}
      </Fact>
    )}
    {plan.undo !== undefined && <Fact name="Undo">{plan.undo ?? 'Nothing takes it back.'}</Fact>}
  </dl>
)

interface FactProps {
  readonly name: string
  readonly tone?: 'good' | 'error'
  readonly children: string
}

const Fact = ({ name, tone, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={tone === undefined ? undefined : `plan-${tone}`}>{children}</dd>
  </div>
)

function pauseText({ pauseMs, steps }: Plan): string {
  if (pauseMs === 0) return 'No step blocks writes.'
  const usual = steps.reduce((sum, { blocksWrites, expectedMs = 0 }) => sum + (blocksWrites ? expectedMs : 0), 0)
  if (pauseMs !== null) return `Blocked for about ${renderDuration(pauseMs)}: the median of past runs on this cluster.`
  if (usual === 0) return 'Blocked while the marked steps run; no run was measured on this cluster yet.'
  return `Blocked while the marked steps run: about ${renderDuration(usual)} on an idle cluster; none was measured on this one yet.`
}

function Ended({
  action,
  at,
  endedAt,
  progress,
}: Extract<SheetState, { type: 'ended' }> & { readonly action: Action }) {
  if (progress) return <ProgressView progress={progress} />
  return (
    <>
      <p class={`plan-verdict plan-${action.follow === undefined ? 'good' : 'running'}`} role="status">
        {action.follow === undefined ? 'Done' : 'Begun'}
      </p>
      <p class="muted">
        The manager answered after {renderDuration(Math.max(endedAt - at, 0))}
        {action.follow === undefined ? '.' : '; what it began continues.'}
      </p>
    </>
  )
}

function Unknown({ action, found }: Extract<SheetState, { type: 'unknown' }> & { readonly action: Action }) {
  return (
    <>
      <section class="plan-refusal" role="alert">
        <h3>The request was sent; its result is unknown</h3>
        <p>No answer came. The manager may have done it, may be doing it, or may never have received it.</p>
        <p class="muted">
          {found
            ? 'This began on the cluster since it was sent:'
            : action.follow === undefined
              ? 'Check the state of the cluster before you ask again.'
              : 'Nothing that began on the cluster since then was found yet; this page continues to ask.'}
        </p>
      </section>
      {found && <ProgressView progress={found} />}
    </>
  )
}

function Foot({ action, state }: Shown) {
  if (state.type === 'planned') return <Confirm action={action} plan={state.plan} />
  return (
    <>
      {state.type === 'running' && state.progress.cancel && <Cancel action={state.progress.cancel} />}
      {(state.type === 'refused' || state.type === 'unplanned') && <Button onClick={planAgain}>Plan again</Button>}
      <Button onClick={closePlan}>{footWord(state)}</Button>
    </>
  )
}

function footWord(state: SheetState): string {
  if (state.type === 'planning') return 'Cancel'
  return isUnderWay(state) ? 'Close; it continues' : 'Close'
}

function Confirm({ action, plan }: { readonly action: Action; readonly plan: Plan }) {
  const permission = permissionFor(action)
  const cluster = clusterOf(action)
  if (!mayRun(plan))
    return (
      <>
        <Button onClick={planAgain}>Plan again</Button>
        <Button onClick={closePlan}>Close</Button>
      </>
    )
  if (plan.confirm === 'name' && cluster !== '' && permission.allowed)
    return <ConfirmName name={cluster} act={action.title} onConfirm={() => void confirmPlan()} />
  return (
    <>
      <Button onClick={closePlan}>Cancel</Button>
      <FirstFocus>
        <Button
          kind={action.kind === 'harmless' ? 'primary' : buttonKinds[action.kind]}
          permission={permission}
          onClick={() => void confirmPlan()}
        >
          {action.title}
        </Button>
      </FirstFocus>
    </>
  )
}

/** The confirmation has the focus when the plan is there, so that the keyboard needs no search for it; Enter alone does it. */
function FirstFocus({ children }: { readonly children: ComponentChildren }) {
  const id = 'plan-confirm'
  // In the same turn as the plan appears: an Enter that comes with it must not go elsewhere.
  useLayoutEffect(() => {
    const button = document.getElementById(id)?.querySelector('button')
    if (!button) return
    // For a dialog that opens only now, and would focus its first button.
    button.autofocus = true
    button.focus()
  }, [])
  return <span id={id}>{children}</span>
}

/** Asks once more in place: it takes back work of others as well. */
function Cancel({ action }: { readonly action: Action }) {
  const asked = useSignal(false)
  if (!asked.value)
    return (
      <Button
        kind="interrupting"
        permission={permissionFor(action)}
        onClick={() => {
          asked.value = true
        }}
      >
        {action.title}
      </Button>
    )
  return <CancelNow action={action} />
}

function CancelNow({ action }: { readonly action: Action }) {
  const busy = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const cancel = async () => {
    busy.value = true
    const reply = await runAction(action)
    busy.value = reply.ok
    problem.value = reply.ok ? undefined : reply.failure.text
  }
  return (
    <>
      {problem.value !== undefined && <span role="alert">{problem}</span>}
      <Button kind="destroying" busy={busy.value} onClick={() => void cancel()}>
        Yes, {action.title.toLowerCase()}
      </Button>
    </>
  )
}
