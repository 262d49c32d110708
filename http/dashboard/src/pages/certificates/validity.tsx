// The time of a certificate: how much of it is spent, and when it ends.
import { type Certificate, judgeValidity, renderExpiry, spent, type Validity } from '../../model/upkeep/certificates.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { now } from '../../store/clock.js'
import { renderFullMoment } from '../../text/moments.js'

const marks = {
  valid: ['healthy', 'valid'],
  soon: ['degraded', 'expires soon'],
  expired: ['down', 'expired'],
  'not-yet': ['broken', 'not valid yet'],
} as const satisfies Readonly<Record<Validity, readonly [string, string]>>

export function ValidityMark({ of }: { readonly of: Pick<Certificate, 'notBefore' | 'notAfter'> }) {
  const [state, word] = marks[judgeValidity(of, now.value)]
  return <StateMark state={state} word={word} />
}

export function Expiry({ of }: { readonly of: Pick<Certificate, 'notBefore' | 'notAfter'> }) {
  return (
    <span class="validity">
      <progress value={spent(of, now.value)} max={1} aria-label="Spent" />
      <time class="number" dateTime={new Date(of.notAfter).toISOString()} title={renderFullMoment(of.notAfter)}>
        {renderExpiry(of.notAfter, now.value)}
      </time>
      <span class="muted number">{new Date(of.notAfter).toISOString().slice(0, 10)}</span>
    </span>
  )
}
