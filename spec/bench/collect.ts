// Preloaded into a manager whose memory is measured: SIGUSR2 collects the garbage of every thread.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const channel = new BroadcastChannel('manager-bench-collect')
channel.onmessage = () => collect()
channel.unref()

if (isMainThread)
  process.on('SIGUSR2', () => {
    collect()
    channel.postMessage('now')
  })
