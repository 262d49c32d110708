// Grants to choose from, by area: only those that the user holds, since no one can give more.
import { groupByArea, impliedBy } from '../../model/access/grants.js'

export interface GrantChoiceProps {
  /** What the user holds. */
  readonly held: readonly string[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

export function GrantChoice({ held, chosen, onChoose }: GrantChoiceProps) {
  const turn = (grants: readonly string[], on: boolean) => {
    const next = new Set(chosen)
    for (const grant of grants) on ? next.add(grant) : next.delete(grant)
    onChoose(next)
  }
  return (
    <div class="grant-areas">
      {groupByArea(held).map(({ name, grants }) => {
        const count = grants.filter((grant) => chosen.has(grant) || impliedBy(grant, chosen) !== undefined).length
        return (
          <details key={name} open={count > 0 && count < grants.length}>
            <summary>
              <label>
                <input
                  type="checkbox"
                  aria-label={`All of ${name}`}
                  checked={count === grants.length}
                  onChange={(event) => turn(grants, event.currentTarget.checked)}
                />
                {name}
              </label>
              <span class="muted number">
                {count} of {grants.length}
              </span>
            </summary>
            <div class="grant-names">
              {grants.map((grant) => {
                const by = impliedBy(grant, chosen)
                return (
                  <label key={grant} title={by === undefined ? undefined : `${by} gives it too`}>
                    <input
                      type="checkbox"
                      checked={by !== undefined || chosen.has(grant)}
                      disabled={by !== undefined}
                      onChange={(event) => turn([grant], event.currentTarget.checked)}
                    />
                    {grant}
                  </label>
                )
              })}
            </div>
          </details>
        )
      })}
    </div>
  )
}

/** Grants as words, by area. */
export const GrantNames = ({ grants }: { readonly grants: readonly string[] }) => (
  <dl class="grant-list">
    {groupByArea(grants).map(({ name, grants: own }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{own.map((grant) => (name === 'other' ? grant : grant.slice(name.length + 1))).join(', ')}</dd>
      </div>
    ))}
  </dl>
)
