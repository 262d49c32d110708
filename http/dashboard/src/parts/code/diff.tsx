// Two texts as one, with what was removed and added marked by sign and colour.
import { type DiffLine, diffLines } from './diff-lines.js'

const signs: Readonly<Record<DiffLine['type'], string>> = { same: ' ', added: '+', removed: '−', gap: '⋯' }

export interface DiffProps {
  readonly before: string
  readonly after: string
  readonly label: string
}

export function Diff({ before, after, label }: DiffProps) {
  if (before === after) return <p class="empty">No difference.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard
    <pre class="diff" tabIndex={0} role="region" aria-label={label}>
      {diffLines(before, after).map(({ type, text }, index) => (
        <span key={`${index} ${text}`} class={`diff-${type}`}>
          <span class="diff-sign">{signs[type]}</span> {text}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}
