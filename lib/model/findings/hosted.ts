// Findings of the connection to a hosted service.
import type { Row } from './row.js'

export const hosted = {
  WARN0420: [
    'warning',
    'CONF',
    'The license of this manager does not count: its plan is free.',
    'Ask the operator of the hosted service for a license of this manager. Monitoring and failover do not depend on it.',
  ],
} as const satisfies Readonly<Record<string, Row>>
