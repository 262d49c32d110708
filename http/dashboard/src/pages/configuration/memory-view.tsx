// How the memory of a server is split, with the reason for each size.
import type { MemorySplit } from '../../model/configuration/preview.js'
import { renderBytes } from '../../text/numbers.js'

const perSession: ReadonlySet<string> = new Set(['tmpTable', 'joinBuffer', 'sortBuffer'])

const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export function MemoryView({ split, before }: { readonly split: MemorySplit; readonly before?: MemorySplit }) {
  const all = split.sumKb ?? 0
  const was = new Map(before?.figures.map(({ name, kb }) => [name, kb]))
  return (
    <div class="memory-bars">
      {split.figures.map(({ name, kb, why }) => {
        const isEach = perSession.has(name)
        const whole = isEach ? kb * (split.sessions ?? 1) : kb
        const earlier = was.get(name)
        return [
          <span key={`${name} name`} title={why}>
            {wordsOf(name)}
          </span>,
          <meter
            key={`${name} bar`}
            min={0}
            max={Math.max(all, 1)}
            value={whole}
            aria-label={wordsOf(name)}
            title={why}
          />,
          <span key={`${name} size`} class="number end" title={why}>
            {earlier !== undefined && earlier !== kb && <s class="muted">{renderBytes(earlier * 1_024)}</s>}{' '}
            {renderBytes(kb * 1_024)}
            {isEach && <span class="muted"> a session</span>}
          </span>,
        ]
      })}
      <small class="muted">
        Together {renderBytes(all * 1_024)}
        {split.usableMb === undefined ? '' : ` of ${renderBytes(split.usableMb * 1_048_576)} for the database`}
        {split.sessions === undefined ? '' : `, with ${split.sessions} working sessions`}.
      </small>
    </div>
  )
}
