// Cluster events for the kernel's specs.
import type { ClusterEvent } from '../../../lib/model/event.js'

export const event = (id: number, over: Partial<ClusterEvent> = {}): ClusterEvent => ({
  id,
  at: 0,
  cluster: 'c1',
  kind: 'log',
  level: 'INFO',
  text: `event ${id}`,
  ...over,
})
