// What a change of tags and resources would do, before it is applied: options, files as diffs, what needs a restart.
import { groupEffects, type Preview } from '../../model/configuration/preview.js'
import { Tag } from '../../parts/basic/tag.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Diff } from '../../parts/code/diff.js'

export function Effects({ preview }: { readonly preview: Preview }) {
  const groups = groupEffects(preview.servers).filter(({ effect }) => effect.files.length > 0)
  if (groups.length === 0) return <p class="empty">No file of any server changes.</p>
  return (
    <div class="effects">
      {groups.map(({ servers, effect }) => (
        <section key={servers.join()} aria-label={servers.join(', ')} class="effects">
          <div class="row">
            <strong>{servers.join(', ')}</strong>
            <Tag>{effect.differences.length} options</Tag>
            {effect.needsNewData ? (
              <Tag tone="error">acts in a new data folder only</Tag>
            ) : (
              <Tag tone={effect.needsRestart ? 'warning' : 'good'}>
                {effect.needsRestart ? 'needs a restart' : 'can be applied to the running server'}
              </Tag>
            )}
          </div>
          {effect.statements.length > 0 && (
            <CodeBlock text={effect.statements.join(';\n')} label="Statements that apply it to a running server" />
          )}
          {effect.files.map(({ path, before, after }) => (
            <details key={path} open={effect.files.length < 4 && path.endsWith('.cnf') && after.length < 4_000}>
              <summary class="mono">{path}</summary>
              <Diff before={before} after={after} label={`Difference of ${path}`} />
            </details>
          ))}
        </section>
      ))}
    </div>
  )
}
