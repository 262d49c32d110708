// The process that brings one server back: takes one piece of work, does it, reports, and ends with its parent.
import { fail, ok, type Result } from '../../base/result.js'
import { readDivergence } from './divergence/read-divergence.js'
import { settleDivergence } from './divergence/settle-divergence.js'
import { emptyServer } from './empty-server.js'
import type { FromWorker, Reports, ReturnAnswer, ReturnWork } from './kit/work.js'
import { loadDump } from './load-dump.js'
import { placeServer } from './place-server.js'
import { readTail } from './read-tail.js'
import { undoTail } from './undo-tail.js'

const ending = new AbortController()
// The parent is gone, or wants it to end: programs are ended, servers end the sessions themselves.
process.on('disconnect', () => {
  ending.abort()
  setTimeout(() => process.exit(1), 3_000).unref()
})

const report = (message: FromWorker): void => {
  if (process.connected) process.send?.(message)
}

const reports: Reports = {
  signal: ending.signal,
  log: (line) => report({ type: 'log', line }),
  progress: (figures) => report({ type: 'progress', ...figures }),
}

process.once('message', (work: ReturnWork) => {
  void perform(work)
    .catch((error: unknown) => fail('internal', error instanceof Error ? (error.stack ?? error.message) : `${error}`))
    .then((result) => {
      report({ type: 'ended', result })
      if (process.connected) process.disconnect()
      setImmediate(() => process.exit(0))
    })
})

async function perform(work: ReturnWork): Promise<Result<ReturnAnswer>> {
  switch (work.type) {
    case 'read-tail':
      return readTail(work, reports)
    case 'undo-tail':
      return undoTail(work, reports)
    case 'load-dump':
      return loadDump(work, reports)
    case 'empty-server':
      return emptyServer(work, reports)
    case 'place-server':
      return placeServer(work)
    case 'read-divergence': {
      const divergence = await readDivergence(work, reports)
      return divergence.ok ? ok({ divergence: divergence.value }) : divergence
    }
    case 'settle-divergence': {
      const settled = await settleDivergence(work, reports)
      return settled.ok ? ok({ settled: settled.value }) : settled
    }
  }
}
