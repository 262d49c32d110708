// The monitor of InnoDB: its figures, and the latest deadlock as the server wrote it.
import { readValues } from '../../model/server/variables.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Facts } from '../../parts/list/facts.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { toggleOf } from './actions/server-actions.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, cluster } = subject
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/status-innodb', subject, { every: 'live' })
  return (
    <ServerFrame
      subject={subject}
      aside={
        server &&
        (['on', 'off'] as const).map((state) => (
          <ActionButton
            key={state}
            action={toggleOf(cluster, server, {
              row: 'POST /api/clusters/:cluster/servers/:server/actions/toogle-innodb-monitor/:state',
              title: state === 'on' ? 'Monitor into the error log' : 'Monitor off',
              state,
            })}
          >
            {state === 'on' ? 'Monitor into the error log' : 'Monitor off'}
          </ActionButton>
        ))
      }
    >
      <ReadPanel title="InnoDB" reading={reading} read={readValues} isEmpty={({ size }) => size === 0}>
        {(values) => {
          const all = [...values]
          const texts = all.filter(([, value]) => value.includes('\n'))
          const figures = all.filter(([, value]) => !value.includes('\n'))
          return (
            <div class="stack">
              <Facts facts={figures.map(([name, value]) => [name.replaceAll('_', ' '), value])} />
              {texts.map(([name, value]) => (
                <section key={name} aria-label={name.replaceAll('_', ' ')}>
                  <h3>{name.replaceAll('_', ' ')}</h3>
                  <CodeBlock text={value} label={name.replaceAll('_', ' ')} />
                </section>
              ))}
            </div>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}
