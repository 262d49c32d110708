// A process that starts one transfer and waits: it is killed by a spec.
import { startTransfer, type TransferSpec } from '../../../lib/backup/stream/index.js'

process.on('message', (spec: TransferSpec) => {
  const { pid } = startTransfer(spec, { signal: new AbortController().signal })
  process.send?.(pid)
})
