// What a server did in the past two days, as lines.
import type { PageProps } from '../../parts/page-props.js'
import { ChartsPanel } from '../charts/charts-panel.js'
import { serverCharts, serverNames } from '../charts/server-forms.js'
import { ServerFrame } from './kit/frame.js'
import { useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  return (
    <ServerFrame subject={subject}>
      <ChartsPanel cluster={subject.cluster} server={subject.name} names={serverNames} chartsOf={serverCharts} />
    </ServerFrame>
  )
}
