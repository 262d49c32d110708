// The entry of a transfer's process: one transfer, then it ends. It leads a process group with its programs, and ends the group when
// the manager is gone: nothing is left that writes.
import { constants, setPriority } from 'node:os'
import { StreamFailure } from './kit/failed.js'
import { Move } from './move.js'
import { type FromMover, readSpec, type ToMover } from './wire.js'

let move: Move | undefined

const send = (message: FromMover): void => {
  if (process.connected) process.send?.(message)
}

process.on('message', (message: ToMover) => {
  switch (message.type) {
    case 'start':
      void run(message.spec)
      return
    case 'limit':
      move?.limit(message.bytesPerSecond)
      return
    case 'stop':
      move?.stop(new StreamFailure('transfer-failed', 'ended on request'))
  }
})

process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))

// Backups give way to what probes and serves.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

async function run(disclosed: unknown): Promise<void> {
  move = new Move(readSpec(disclosed), {
    progress: (progress) => send({ type: 'progress', progress }),
    line: (program, line) => send({ type: 'line', program, line }),
    listening: (port) => send({ type: 'listening', port }),
    accepted: (address) => send({ type: 'accepted', address }),
  })
  const result = await move.run()
  process.removeAllListeners('disconnect')
  process.send?.({ type: 'ended', result } satisfies FromMover, () => process.exit(0))
}
