// Names with their values, as in a data sheet. A value that is not known leaves its name out.
import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
  if (known.length === 0) return null
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
