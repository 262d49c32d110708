// The log of one job, read again while it runs.

import { isOpen, type Job } from '../../model/upkeep/jobs.js'
import { fieldsOf } from '../../model/wire.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { CodeBlock } from '../../parts/code/code-block.js'
import { Dialog } from '../../parts/overlay/dialog.js'
import { useReading } from '../../store/reading.js'

export interface JobLogProps {
  readonly cluster: string
  readonly job: Job
  readonly onClose: () => void
}

export function JobLog({ cluster, job, onClose }: JobLogProps) {
  const reading = useReading('GET /api/clusters/:cluster/jobs/:job', {
    params: { cluster, job: job.id },
    ...(isOpen(job) ? { every: 'live' as const } : {}),
  })
  const { log } = fieldsOf(reading.value)
  const title = `Log of ${job.task} ${job.id}`
  return (
    <Dialog title={title} open onClose={onClose} as="sheet">
      {reading.failure && <Failed failure={reading.failure} onRetry={reading.reload} />}
      {reading.value === undefined && !reading.failure && <Loading />}
      {Array.isArray(log) && <CodeBlock text={log.join('\n')} label={title} />}
    </Dialog>
  )
}
